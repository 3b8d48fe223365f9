import { type AddressInfo, createServer, type Socket, connect as tcpConnect } from 'node:net';

/** A proxy between a service and a server that puts bytes of its own between those of the server. */
export interface InjectingProxy {
  readonly port: number;
  /**
   * Ends every connection. On each new one these bytes follow the first data of the server that ends with `marker`, in the
   * same segment.
   */
  injectAfter(marker: string, bytes: string): void;
  /** Connections that have got the bytes. */
  injectedCount(): number;
  /** Ends every connection. New ones carry what the server sends alone. */
  stop(): void;
  close(): Promise<void>;
}

interface Injection {
  readonly marker: Buffer;
  readonly bytes: Buffer;
}

/** Forwards a free port to `targetPort` on the loopback address. */
export async function startInjectingProxy(targetPort: number): Promise<InjectingProxy> {
  const sockets = new Set<Socket>();
  let injection: Injection | undefined;
  let injectedCount = 0;

  const server = createServer((client) => {
    const upstream = tcpConnect(targetPort, '127.0.0.1');
    let pending = injection;
    client.pipe(upstream);
    upstream.on('data', (data) => {
      const isDue = pending !== undefined && data.subarray(-pending.marker.length).equals(pending.marker);
      client.write(isDue && pending !== undefined ? Buffer.concat([data, pending.bytes]) : data);
      if (!isDue) return;
      pending = undefined;
      injectedCount++;
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const restart = (next: Injection | undefined) => {
    injection = next;
    injectedCount = 0;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    injectAfter: (marker, bytes) =>
      restart({ marker: Buffer.from(marker, 'latin1'), bytes: Buffer.from(bytes, 'latin1') }),
    injectedCount: () => injectedCount,
    stop: () => restart(undefined),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        restart(undefined);
      }),
  };
}
