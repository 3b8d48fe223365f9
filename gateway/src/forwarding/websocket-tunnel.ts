import type { Socket } from 'node:net';

/** Milliseconds for which the last bytes of a side that has ended are still sent to the other. */
const lingerMs = 500;

/**
 * Lets the bytes of two connections flow into each other, at the pace of their readers. Whatever ends one of them ends both: what
 * it has sent is still written, within a bounded time. So does silence in both directions, since every byte passes the client's
 * connection: that has the time limit of all connections (`edge/server.ts`).
 */
export function joinSockets(client: Socket, upstream: Socket): void {
  let timer: NodeJS.Timeout | undefined;
  const linger = () => {
    timer ??= setTimeout(() => {
      client.destroy();
      upstream.destroy();
    }, lingerMs);
  };
  const endWith = (side: Socket, other: Socket) => {
    side.once('end', linger);
    side.once('close', () => {
      if (other.closed) {
        clearTimeout(timer);
        return;
      }
      linger();
      // Reads on: unread bytes would turn its close into a reset, which may overtake the last bytes.
      other.end().resume();
    });
  };
  endWith(client, upstream);
  endWith(upstream, client);
  // That of the handshake.
  upstream.setTimeout(0);
  client.pipe(upstream);
  upstream.pipe(client);
}
