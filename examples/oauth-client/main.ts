// npm start: a web application that a business connects. Variables: see README.md.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  ApiError,
  type BusinessEvent,
  CallbackError,
  Client,
  Connection,
  MemoryTokenStore,
  OAuth,
  type PendingAuthorization,
} from '@business-api/client';
import express, { type RequestHandler } from 'express';
import { renderPage, type Step } from './page.ts';
import { recordTo } from './record.ts';
import { WebhookInbox } from './webhooks.ts';

/** State of one browser, which itself holds only a random cookie. */
interface Session {
  pending?: PendingAuthorization | undefined;
  connection?: Connection | undefined;
  readonly steps: Step[];
}

const { ISSUER = 'http://127.0.0.1:8080', CLIENT_ID, CLIENT_SECRET, PORT = '8090' } = process.env;
/** Secret of the webhook endpoint. Without it every delivery is refused. */
const { WEBHOOK_SECRET } = process.env;
const {
  SCOPE = 'business:read orders:read orders:write',
  REDIRECT_URI = `http://127.0.0.1:${PORT}/callback`,
} = process.env;
if (!CLIENT_ID || !CLIENT_SECRET) throw new Error('CLIENT_ID and CLIENT_SECRET are needed: see README.md.');

const settings = { issuer: ISSUER, clientId: CLIENT_ID, scope: SCOPE };
const secrets = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
const application = { baseUrl: ISSUER, redirectUri: REDIRECT_URI, ...secrets };
const { origin, host } = new URL(REDIRECT_URI);
const oauth = new OAuth(application);
const inbox = WEBHOOK_SECRET ? new WebhookInbox(WEBHOOK_SECRET) : undefined;
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

/** @param credential a string is an access token */
const clientOf = (steps: Step[], credential: Connection | string) =>
  new Client({ baseUrl: ISSUER, credential, fetch: recordTo(steps) });

/** Reads the business that a connection acts for. */
const readBusiness = (steps: Step[], credential: Connection | string) =>
  clientOf(steps, credential).request('GET /v2/businesses/me');

const sampleOrder = {
  currency: 'EUR',
  line_items: [{ name: 'Tea', quantity: 2, unit_amount: 450 }],
  customer: { name: 'Ada Sample' },
};

/** Milliseconds that the page waits for the webhook about its order. */
const webhookLimitMs = 10_000;

/** Creates an order, and shows the webhook that comes about it. */
async function order(connection: Connection, { steps }: Session): Promise<void> {
  const { data } = await clientOf(steps, connection).request('POST /v2/order', { body: sampleOrder });
  const isAboutIt = ({ type, data: of }: BusinessEvent) =>
    type === 'order.created' && 'id' in of && of.id === data.id;
  const event = await inbox?.next(isAboutIt, webhookLimitMs);
  if (event === undefined) steps.push({ title: 'No webhook within ten seconds', request: '', failed: true });
  else {
    const request = JSON.stringify(event, null, 2);
    steps.push({ title: 'Webhook, with a valid signature', request, failed: false });
  }
}

const describeError = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A button of the page: acts on the connection, then shows the last step. */
function button(act: (connection: Connection, session: Session) => Promise<unknown>): RequestHandler {
  return async (req, res) => {
    const session = sessionOf(req.headers.cookie);
    if (session?.connection === undefined) return res.redirect(303, '/');
    try {
      await act(session.connection, session);
    } catch (error) {
      // The business has disconnected.
      if (error instanceof ApiError && error.code === 'invalid_grant') session.connection = undefined;
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
  const { pending, url } = await oauth.begin({ scope: SCOPE });
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
    const code = oauth.readCallback(callback, pending);
    session.pending = undefined;
    steps.push({ ...step, failed: false });
    const recorded = new OAuth({ ...application, fetch: recordTo(steps) });
    const tokens = new MemoryTokenStore(await recorded.exchange(code, pending));
    session.connection = new Connection(recorded, tokens);
    await readBusiness(steps, session.connection);
  } catch (error) {
    const response = describeError(error);
    const isCallback = error instanceof CallbackError;
    // A forged callback must not end the pending request of this browser.
    if (isCallback && error.code === undefined) return ignore(`${response}.`);
    session.pending = undefined;
    if (isCallback) steps.push({ ...step, response, failed: true });
    else steps.push({ title: 'Error', request: response, failed: true });
  }
  // Redirects, so that the code stays neither in the address bar nor in the history.
  res.redirect(303, '/');
});

app.post(
  '/call',
  button((connection, { steps }) => readBusiness(steps, connection)),
);
app.post('/order', button(order));
app.post(
  '/refresh',
  button(async (connection) => connection.renew(await connection.token())),
);
app.post(
  '/revoke',
  button(async (connection, session) => {
    const token = await connection.token();
    await connection.revoke();
    session.connection = undefined;
    // Shows that the access token has ended with the approval.
    await readBusiness(session.steps, token).catch(() => undefined);
  }),
);

// The signature covers the received bytes, so they must not be parsed as JSON first.
app.post('/webhooks', express.raw({ type: () => true, limit: '64kb' }), async (req, res) => {
  try {
    await inbox?.receive(req.body, req.headers);
  } catch {
    return void res.status(400).end();
  }
  res.status(inbox === undefined ? 400 : 204).end();
});

const server = app.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error;
  process.stdout.write(`The application is at ${origin}\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
