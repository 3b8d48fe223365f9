// npm start: a web application that a business connects. Variables: see README.md.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler } from 'express';
import type { PendingRequest } from './oauth.ts';
import { type Connection, createOAuthClient, describeError, isDisconnected, isRefusal } from './oauth.ts';
import { renderEvent, renderPage, type Step, webhooksHead } from './page.ts';
import { recordTo } from './record.ts';
import { createWebhookInbox } from './webhooks.ts';

/** State of one browser, which itself holds only a random cookie. */
interface Session {
  pending?: PendingRequest | undefined;
  connection?: Connection | undefined;
  readonly steps: Step[];
}

const { ISSUER = 'http://127.0.0.1:8080', CLIENT_ID, CLIENT_SECRET, PORT = '8090' } = process.env;
/** Secret of the webhook endpoint. Without it every delivery is refused. */
const { WEBHOOK_SECRET } = process.env;
const { SCOPE = 'business:read orders:read', REDIRECT_URI = `http://127.0.0.1:${PORT}/callback` } =
  process.env;
if (!CLIENT_ID || !CLIENT_SECRET) throw new Error('CLIENT_ID and CLIENT_SECRET are needed: see README.md.');

const settings = { issuer: ISSUER, clientId: CLIENT_ID, redirectUri: REDIRECT_URI, scope: SCOPE };
const { origin, host } = new URL(REDIRECT_URI);
const client = await createOAuthClient({ ...settings, clientSecret: CLIENT_SECRET });
const inbox = WEBHOOK_SECRET ? createWebhookInbox(WEBHOOK_SECRET) : undefined;
const sessions = new Map<string, Session>();
const maxSessions = 100;
/** Cookies belong to a host, not to a port, so the name contains the port to separate applications on 127.0.0.1. */
const cookieName = `oauth_client_example_${PORT}`;

function sessionOf(cookies = ''): Session | undefined {
  const pair = cookies.split(/; */).find((text) => text.startsWith(`${cookieName}=`));
  return sessions.get(pair?.slice(cookieName.length + 1) ?? '');
}

/** Creates a session with a new cookie. Drops the oldest session at the limit; a real application has a store. */
function newSession(session: Session): string {
  const [oldest] = sessions.keys();
  if (sessions.size >= maxSessions && oldest !== undefined) sessions.delete(oldest);
  const id = randomBytes(24).toString('base64url');
  sessions.set(id, session);
  return `${cookieName}=${id}; HttpOnly; SameSite=Lax; Path=/`;
}

/** A button of the page: acts on the connection, then shows the last step. */
function button(act: (connection: Connection) => Promise<unknown>): RequestHandler {
  return async (req, res) => {
    const session = sessionOf(req.headers.cookie);
    if (session?.connection === undefined) return res.redirect(303, '/');
    try {
      await act(session.connection);
    } catch (error) {
      if (isDisconnected(error)) session.connection = undefined;
      session.steps.push({ title: 'Error', request: describeError(error), failed: true });
    }
    res.redirect(303, `/#step-${session.steps.length}`);
  };
}

const app = express().disable('x-powered-by');

app.use((req, res, next) => {
  // form-action includes the issuer, because Chromium also applies it to the redirect after a form.
  const policy = `default-src 'none'; style-src 'self'; form-action 'self' ${ISSUER}; frame-ancestors 'none'; base-uri 'none'`;
  res.set({
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  // Not no-referrer, because browsers would send `Origin: null` with our own forms.
  res.set('Referrer-Policy', 'same-origin');
  if (req.headers.host !== host) return res.redirect(303, `${origin}/`);
  if (req.method === 'POST' && ![undefined, origin].includes(req.headers.origin))
    return res.status(403).end();
  next();
});

app.get('/', (req, res) => void res.send(renderPage(settings, sessionOf(req.headers.cookie))));
app.get('/style.css', (_req, res) => res.sendFile(fileURLToPath(new URL('style.css', import.meta.url))));

app.post('/start', async (_req, res) => {
  const { pending, url } = await client.begin();
  const { pathname, searchParams } = new URL(url);
  const lines = [...searchParams].map(([name, value]) => `  ${name} = ${value}`);
  const request = [`GET ${ISSUER}${pathname}`, ...lines].join('\n');
  const steps = [{ title: 'Authorization request', request, failed: false }];
  res.set('Set-Cookie', newSession({ pending, steps })).redirect(303, url);
});

app.get('/callback', async (req, res) => {
  const session = sessionOf(req.headers.cookie);
  const callback = new URL(req.originalUrl, origin);
  const lines = [...callback.searchParams].map(([name, value]) => `  ${name} = ${value}`);
  const step = { title: 'Callback', request: [`GET ${origin}${callback.pathname}`, ...lines].join('\n') };
  const ignore = (why: string) => {
    const ignored = { ...step, response: `Ignored: ${why}`, failed: true };
    res.status(400).send(renderPage(settings, { steps: [ignored] }));
  };
  if (session?.pending === undefined) return ignore('this browser has no authorization request under way.');
  const { pending, steps } = session;
  try {
    const parameters = client.readCallback(callback, pending);
    session.pending = undefined;
    steps.push({ ...step, failed: false });
    session.connection = await client.exchangeCode(parameters, pending, recordTo(steps));
    await session.connection.get('/businesses/me');
  } catch (error) {
    const response = describeError(error);
    // A forged callback must not end the pending request of this browser.
    if (session.pending !== undefined && !isRefusal(error)) {
      return ignore(`state is not the one that was sent, or iss is not ${ISSUER} (${response}).`);
    }
    session.pending = undefined;
    if (isRefusal(error)) steps.push({ ...step, response, failed: true });
    else steps.push({ title: 'Error', request: response, failed: true });
  }
  // Redirects, so that the code stays neither in the address bar nor in the history.
  res.redirect(303, '/');
});

app.post(
  '/call',
  button((connection) => connection.get('/businesses/me')),
);
app.post(
  '/refresh',
  button((connection) => connection.refresh()),
);
app.post('/revoke', async (req, res, next) => {
  const act = button(async (connection) => {
    await connection.revoke();
    // Shows that the access token has ended with the approval.
    await connection.get('/businesses/me');
    const session = sessionOf(req.headers.cookie);
    if (session !== undefined) session.connection = undefined;
  });
  await act(req, res, next);
});

// The signature covers the received bytes, so they must not be parsed as JSON first.
app.post('/webhooks', express.raw({ type: () => true, limit: '64kb' }), (req, res) => {
  const headers = Object.entries(req.headers).map(([name, value]) => [name, String(value)]);
  try {
    inbox?.receive(req.body, Object.fromEntries(headers));
  } catch {
    return void res.status(400).end();
  }
  res.status(inbox === undefined ? 400 : 204).end();
});

// The page stays open, and each event is appended when it arrives.
app.get('/webhooks', (req, res) => {
  const { events, watch } = inbox ?? { events: () => [], watch: () => () => true };
  res.type('html').write(webhooksHead + events().map(renderEvent).join(''));
  if (req.method === 'HEAD') return void res.end();
  res.once(
    'close',
    watch((event) => void res.write(renderEvent(event))),
  );
});

const server = app.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error;
  process.stdout.write(`The application is at ${origin}\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
