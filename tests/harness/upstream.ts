import { createServer, type RequestListener } from 'node:http';

/** An upstream with a listener of the test. */
export interface Upstream {
  readonly port: number;
  readonly origin: string;
  /** Closes the connections that carry no request. */
  closeIdleConnections(): void;
  close(): Promise<void>;
}

/** Starts an HTTP server on a free port of the loopback address. */
export async function startUpstream(listener: RequestListener): Promise<Upstream> {
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  // A test file that fails to start must not wait for it.
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    closeIdleConnections: () => server.closeIdleConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
