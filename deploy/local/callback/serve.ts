import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DemoClient } from './demo-client.ts';
import { type Reply, routes } from './routes.ts';
import { createVisits } from './visit.ts';

/** Other ports of this machine share its cookies, so the name has to be our own. */
const cookieName = 'demo_bookkeeping';

/** Answers every request to the application. */
export function serveDemoClient(
  client: DemoClient,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const { origin, host } = new URL(client.redirectUri);
  const visits = createVisits();
  const answer = async (req: IncomingMessage): Promise<Reply> => {
    const { pathname, searchParams: query } = new URL(`${origin}${req.url}`);
    // Its cookie lives under one name of this machine only.
    if (req.headers.host !== host) return { redirect: `${origin}/` };
    // A page elsewhere must not press our buttons.
    const sender = req.headers.origin;
    if (req.method === 'POST' && sender !== undefined && sender !== origin) return refusal(403, 'Forbidden');
    const route = routes.get(`${req.method} ${pathname}`);
    if (route === undefined) return refusal(404, 'Not found');
    return route({ client, visits, visitId: readCookie(req), query });
  };
  return async (req, res) => {
    req.resume();
    const reply = await answer(req).catch((error) => refusal(500, `This did not work: ${error}`));
    send(res, client, reply);
  };
}

function send(res: ServerResponse, { issuer }: DemoClient, reply: Reply): void {
  // Chromium holds the redirect after a form to form-action, too.
  const policy = `default-src 'none'; style-src 'self'; form-action 'self' ${issuer}; frame-ancestors 'none'; base-uri 'none'`;
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('Cache-Control', 'no-store');
  // Not no-referrer: browsers would hide the Origin of our own forms, too.
  res.setHeader('Referrer-Policy', 'same-origin');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if ('redirect' in reply) {
    const { redirect, visitId } = reply;
    const cookie = `${cookieName}=${visitId}; HttpOnly; SameSite=Lax; Path=/`;
    res.writeHead(303, { Location: redirect, ...(visitId !== undefined && { 'Set-Cookie': cookie }) }).end();
  } else {
    res.writeHead(reply.status, { 'Content-Type': `${reply.type}; charset=utf-8` }).end(reply.body);
  }
}

const refusal = (status: number, body: string): Reply => ({ status, type: 'text/plain', body });

function readCookie({ headers }: IncomingMessage): string | undefined {
  const pairs = headers.cookie?.split(/; */) ?? [];
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
}
