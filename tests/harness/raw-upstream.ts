import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** An upstream that sends bytes as they are, well-formed or not. */
export interface RawUpstream {
  /** As `http://127.0.0.1:5000`. */
  readonly origin: string;
  /** Sets the behaviour for each head that arrives. */
  behave(reply: (socket: Socket, head: string) => void): void;
  /** Writes these bytes for each head that arrives. */
  say(bytes: string | Uint8Array): void;
  close(): Promise<void>;
}

export async function rawUpstream(): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  let reply: (socket: Socket, head: string) => void = () => undefined;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
        const head = received.slice(0, end);
        received = received.slice(end + 4);
        if (/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(head)) reply(socket, head);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    behave: (next) => {
      reply = next;
    },
    say: (bytes) => {
      reply = (socket) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
