import { createServer, type RequestListener, type Server } from 'node:http';

/** Milliseconds that an idle connection stays open: longer than the gateway keeps one, so that it closes first. */
const keepAliveTimeout = 65_000;
/** Milliseconds to send a head, and a whole request. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;

/** Listens for HTTP. @throws when the address cannot be bound */
export async function startHttpServer(app: RequestListener, host: string, port: number): Promise<Server> {
  const server = createServer(
    { keepAliveTimeout, headersTimeout, requestTimeout, connectionsCheckingInterval: 1_000 },
    app,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return server;
}
