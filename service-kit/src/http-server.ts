import { createServer, type RequestListener, type Server } from 'node:http';

/** A server that listens. */
export interface HttpServer {
  readonly server: Server;
  readonly port: number;
}

/** Milliseconds that an idle connection stays open: longer than the gateway keeps one, so that it closes first. */
const keepAliveTimeout = 65_000;
/** Milliseconds to send a head, and a whole request. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;

/** Listens for HTTP, as a service behind the gateway. @throws when the address cannot be bound */
export async function startHttpServer(app: RequestListener, host: string, port: number): Promise<HttpServer> {
  const server = createServer(
    { keepAliveTimeout, headersTimeout, requestTimeout, connectionsCheckingInterval: 1_000 },
    app,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return { server, port: portOf(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the HTTP server has no port');
  return address.port;
}
