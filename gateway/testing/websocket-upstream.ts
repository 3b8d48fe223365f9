import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** Response to a key (RFC 6455 section 4.2.2). */
export const acceptOf = (key = '') =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

export const switching = (accept: string, ...lines: readonly string[]) =>
  [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    'Upgrade: websocket',
    `Sec-WebSocket-Accept: ${accept}`,
    ...lines,
    '',
    '',
  ].join('\r\n');

/** Behavior with a handshake. */
type OnHandshake = (socket: Duplex, request: IncomingMessage) => void;

/** An upstream whose behavior the test sets. */
export class WebSocketUpstream {
  readonly #server: Server;
  /** Handshakes, the last one last. */
  readonly handshakes: IncomingMessage[] = [];
  /** Requests without `Upgrade`. */
  readonly requests: IncomingMessage[] = [];
  onHandshake: OnHandshake = accept(echoBytes);
  onRequest: RequestListener = ordinary;

  private constructor(server: Server) {
    this.#server = server;
    server.on('upgrade', (request, socket) => {
      socket.on('error', () => undefined);
      this.handshakes.push(request);
      this.onHandshake(socket, request);
    });
    server.on('request', (request, response) => {
      this.requests.push(request);
      this.onRequest(request, response);
    });
  }

  static async start(): Promise<WebSocketUpstream> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WebSocketUpstream(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every WebSocket. */
  reset(): void {
    for (const { socket } of this.handshakes.splice(0)) socket.destroy();
  }

  close(): void {
    this.reset();
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Accepts a handshake, then does something with the connection. @param lines more lines of the response */
export function accept(then: (socket: Duplex) => void, ...lines: readonly string[]): OnHandshake {
  return (socket, { headers }) => {
    socket.write(switching(acceptOf(headers['sec-websocket-key']), ...lines));
    then(socket);
  };
}

/** Responds to a request without `Upgrade`. */
export const ordinary: RequestListener = (_req, res) => void res.end('ordinary');

/** Sends back what it receives, whatever it is. */
export const echoBytes = (socket: Duplex) => void socket.pipe(socket);

/** Speaks the protocol: sends back every message, and closes where the client does. */
export function echoMessages(socket: Duplex): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (let frame = readFrame(received); frame !== undefined; frame = readFrame(received)) {
      received = received.subarray(frame.end);
      socket.write(Buffer.concat([headOf(frame.first, frame.payload.length), frame.payload]));
      if ((frame.first & 0x0f) === 8) socket.end();
    }
  });
}

/** The first frame of a client's bytes (RFC 6455 section 5.2); undefined while it is not complete. */
function readFrame(bytes: Buffer) {
  const short = (bytes[1] ?? 0) & 0x7f;
  const maskAt = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < maskAt + 4) return undefined;
  const long = () => (short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)));
  const length = short < 126 ? short : long();
  const end = maskAt + 4 + length;
  if (bytes.length < end) return undefined;
  const payload = Buffer.from(bytes.subarray(maskAt + 4, end));
  for (let i = 0; i < length; i++) payload[i] = (payload[i] ?? 0) ^ (bytes[maskAt + (i % 4)] ?? 0);
  return { first: bytes[0] ?? 0, payload, end };
}

function headOf(first: number, length: number): Buffer {
  if (length < 126) return Buffer.of(first, length);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = first;
  if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return head;
}
