import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** The response to a handshake, and its connection, paused behind the head. */
export interface Opened {
  readonly socket: Socket;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes behind the head that came with it. */
  readonly rest: Buffer;
}

export interface HandshakeOptions {
  readonly port: number;
  /** The credential; none where absent. */
  readonly bearer?: string;
  readonly method?: string;
  readonly path?: string;
  /** Further lines, or others for Upgrade, Connection, Host and Sec-WebSocket-Key. */
  readonly lines?: readonly string[];
  /** Bytes behind the head, in the same packet. */
  readonly behind?: string;
  /** Authority of the gateway's certificate, where it speaks TLS. */
  readonly ca?: string;
  /** A connection that is open already. */
  readonly over?: Socket;
}

export const sampleKey = 'dGhlIHNhbXBsZSBub25jZQ==';

const usual: readonly string[] = [
  'Host: api.test',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${sampleKey}`,
];

const nameOf = (line: string) => line.slice(0, line.indexOf(':')).toLowerCase();

/** The bytes of a handshake. */
export function handshakeBytes(options: HandshakeOptions): string {
  const { method = 'GET', path = '/v2/socket', bearer, lines = [], behind = '' } = options;
  const named = new Set(lines.map(nameOf));
  const all = [
    ...usual.filter((line) => !named.has(nameOf(line))),
    ...(bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`]),
    ...lines,
  ];
  return `${method} ${path} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${behind}`;
}

const open: Socket[] = [];

/** Destroys every connection that was opened here. */
export function closeClients(): void {
  for (const socket of open.splice(0)) socket.destroy();
}

export async function connectTo(port: number, ca?: string): Promise<Socket> {
  const tcp = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const socket =
    ca === undefined ? tcp : connectTls({ socket: tcp, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] });
  tcp.on('error', () => undefined);
  socket.on('error', () => undefined);
  open.push(socket);
  await once(socket, ca === undefined ? 'connect' : 'secureConnect');
  return socket;
}

/** Sends a handshake. @throws where the connection ends before the head of the response */
export async function openWebSocket(options: HandshakeOptions): Promise<Opened> {
  const socket = options.over ?? (await connectTo(options.port, options.ca));
  socket.write(handshakeBytes(options));
  return readHead(socket);
}

/** Reads the head of a response. */
export async function readHead(socket: Socket): Promise<Opened> {
  let received = Buffer.alloc(0);
  while (!received.includes('\r\n\r\n')) {
    if (socket.readableEnded || socket.destroyed) throw new Error(`no response: ${received}`);
    const chunk: Buffer | null = socket.read();
    if (chunk !== null) received = Buffer.concat([received, chunk]);
    else await Promise.race([once(socket, 'readable'), once(socket, 'end'), once(socket, 'close')]);
  }
  const end = received.indexOf('\r\n\r\n');
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => [nameOf(line), line.slice(line.indexOf(':') + 2)]));
  return { socket, status: Number(first.split(' ')[1]), headers, rest: received.subarray(end + 4) };
}

/** Everything that is received until the gateway ends the connection. */
export async function readAll({ socket, rest }: Opened): Promise<string> {
  const chunks: Buffer[] = [rest];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  if (!socket.readableEnded && !socket.destroyed)
    await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  return Buffer.concat(chunks).toString('latin1');
}
