import { startUpstream } from '../harness/upstream.ts';

/** The site of an application: receives callbacks, and redirects the browser to a page on another host. */
export interface CallbackApplication {
  readonly redirectUri: string;
  /** Parameters of the callbacks that arrived, oldest first. */
  readonly callbacks: readonly URLSearchParams[];
  /** Where every callback ends. */
  readonly lastPage: string;
  close(): Promise<void>;
}

export async function startCallbackApplication(): Promise<CallbackApplication> {
  const callbacks: URLSearchParams[] = [];
  const { origin, port, close } = await startUpstream((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', origin);
    if (pathname === '/callback') {
      callbacks.push(searchParams);
      res.writeHead(303, { Location: lastPage }).end();
      return;
    }
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end('<!doctype html><html lang="en"><title>Shop</title><h1>Welcome to the shop</h1>');
  });
  const lastPage = `http://localhost:${port}/welcome`;
  return { redirectUri: `${origin}/callback`, callbacks, lastPage, close };
}
