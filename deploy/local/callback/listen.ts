import { createServer, type RequestListener, type Server } from 'node:http';

/** The demo application's door. It has an address first, which is then registered, and opens after that. */
export interface DemoApplicationDoor {
  readonly origin: string;
  open(listener: RequestListener): void;
  close(): void;
}

/** Listens on a port of the loopback address; on any free one where that is taken. */
export async function listenForDemoApplication(port: number): Promise<DemoApplicationDoor> {
  let listener: RequestListener = (_req, res) => res.writeHead(503, { 'Retry-After': '1' }).end();
  const server = createServer((req, res) => listener(req, res));
  const gotIt = await listens(server, port);
  if (!gotIt) await listens(server, 0);
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the demo application found no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    open: (opened) => {
      listener = opened;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const fail = () => resolve(false);
    server.once('error', fail).listen(port, '127.0.0.1', () => {
      server.off('error', fail);
      resolve(true);
    });
  });
}
