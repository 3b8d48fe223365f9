import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

/** A server of a receiver whose every byte the test writes. */
export interface Receiver {
  readonly port: number;
  /** Connections so far. */
  readonly connections: number;
  /** TLS connections so far that resumed the session of an earlier one. */
  readonly resumed: number;
  /** Bytes of all connections so far, decrypted. */
  readonly received: string;
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

interface ReceiverOptions {
  /** Called with each piece of each connection; `received` are its bytes so far. */
  readonly onData?: (socket: Socket, received: string) => void;
  readonly host?: string;
  readonly port?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A complete response with a length. */
export function response(status: number, body = '', headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status} x`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Whether the bytes of a connection end with a whole request, of which every body ends so. */
export const requestEnd = '}';

/** Responds to each whole request. */
export function respondWith(text: string): NonNullable<ReceiverOptions['onData']> {
  return (socket, received) => {
    if (received.endsWith(requestEnd)) socket.write(text);
  };
}

export async function startReceiver({
  onData = () => undefined,
  host = '127.0.0.1',
  port = 0,
  tls,
}: ReceiverOptions = {}): Promise<Receiver> {
  const open = new Set<Socket>();
  const context = tls === undefined ? undefined : createSecureContext({ cert: tls.cert, key: tls.key });
  let connections = 0;
  let resumed = 0;
  let all = '';
  const server: Server = createServer((raw) => {
    connections++;
    open.add(raw);
    raw.on('close', () => open.delete(raw));
    const socket =
      context === undefined ? raw : new TLSSocket(raw, { isServer: true, secureContext: context });
    if (socket instanceof TLSSocket) {
      socket.on('secure', () => {
        if (socket.isSessionReused()) resumed++;
      });
    }
    let received = '';
    for (const it of new Set([raw, socket])) it.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      all += chunk.toString('latin1');
      onData(socket, received);
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get connections() {
      return connections;
    },
    get resumed() {
      return resumed;
    },
    get received() {
      return all;
    },
    allClosed: async () => {
      for (const socket of open) await new Promise((resolve) => socket.once('close', resolve));
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
