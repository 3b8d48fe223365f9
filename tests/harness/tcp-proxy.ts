import { type AddressInfo, createServer, type Socket, connect as tcpConnect } from 'node:net';

/** A proxy between a service and a server that can silence the connections. */
export interface TcpProxy {
  readonly port: number;
  /**
   * Connections that are open now stay open and no longer carry data, as when a host vanishes. New ones work.
   * Returns how many fell silent.
   */
  silence(): number;
  /**
   * From now on a connection falls silent once its client sends this text, in any case: replies to it are kept back, too.
   * Undefined: none does. The counter starts anew.
   */
  silenceAt(text: string | undefined): void;
  /** Connections that `silenceAt` has silenced. */
  silencedCount(): number;
  /** Forwards the data that silent connections kept back, if they are still open. */
  resume(): void;
  close(): Promise<void>;
}

/** The URL of a server by way of a proxy to it. */
export function through({ port }: { readonly port: number }, serverUrl: string): string {
  const url = new URL(serverUrl);
  url.port = `${port}`;
  return url.href;
}

/** Forwards a free port to `targetPort` on the loopback address. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const silent = new WeakSet<readonly [Socket, Socket]>();
  let silencingText: string | undefined;
  let silencedCount = 0;
  const silence = (pair: readonly [Socket, Socket]) => {
    const [client, upstream] = pair;
    silent.add(pair);
    client.unpipe(upstream).pause();
    upstream.unpipe(client).pause();
  };
  const server = createServer((client) => {
    const upstream = tcpConnect(targetPort, '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.on('data', (data) => {
      if (silencingText === undefined || silent.has(pair)) return;
      if (!data.toString('latin1').toLowerCase().includes(silencingText)) return;
      silencedCount++;
      silence(pair);
    });
    // A reset of one half is one of the other.
    const reset = () => {
      if (!silent.has(pair)) for (const half of pair) half.destroy();
    };
    client.pipe(upstream).pipe(client);
    for (const socket of pair) {
      socket.on('error', reset);
      // Both: a silent connection does not detect that its other half is closed.
      socket.once('close', () => pair.every(({ destroyed }) => destroyed) && pairs.delete(pair));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => {
      for (const pair of pairs) silence(pair);
      return pairs.size;
    },
    silenceAt: (text) => {
      silencingText = text;
      silencedCount = 0;
    },
    silencedCount: () => silencedCount,
    resume: () => {
      for (const pair of pairs) {
        if (!silent.delete(pair)) continue;
        const [client, upstream] = pair;
        client.pipe(upstream).pipe(client);
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const pair of pairs) for (const socket of pair) socket.destroy();
      }),
  };
}
