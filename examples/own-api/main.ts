// npm start: invoices of businesses, in memory. The gateway sends what api/invoices.yaml describes. Variables: see README.md.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import { createEventSender } from './events.ts';
import { createPassportVerifier, type KeySet, type Passport } from './passport.ts';

interface Invoice {
  readonly id: string;
  readonly customer: string;
  readonly total: number;
  readonly created_at: string;
}

const { PASSPORT_KEYS_URL, BUSINESS_GRPC_TARGET, HOST = '127.0.0.1', PORT = '4600' } = process.env;
const { TLS_CA, TLS_CERT, TLS_KEY } = process.env;
if (!PASSPORT_KEYS_URL || !BUSINESS_GRPC_TARGET)
  throw new Error('PASSPORT_KEYS_URL and BUSINESS_GRPC_TARGET are needed: see README.md.');

/** Where services of the platform demand certificates of each other (GRPC_TLS=mutual), this one has its own. */
const tls = TLS_CERT
  ? { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY ?? ''), ca: readFileSync(TLS_CA ?? '') }
  : undefined;
const readKeys = async () => {
  const options = { ...tls, signal: AbortSignal.timeout(2_000) };
  const [response] = await once((tls ? https : http).get(PASSPORT_KEYS_URL, options), 'response');
  return (await json(response)) as KeySet;
};
const verifyPassport = createPassportVerifier(readKeys, 'invoices');
const sendEvent = createEventSender(BUSINESS_GRPC_TARGET, tls);

/** Newest first, by business. */
const invoices = new Map<number, Invoice[]>();

function respond(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  res.end(JSON.stringify(body));
}

/** An error in the form of the platform's. */
const fail = (res: ServerResponse, code: number, status: string, error: string) =>
  respond(res, code, { error, status, code });

/** Every request has a passport of its business. The gateway has checked scope and limit. */
async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const passport = await verifyPassport(String(req.headers['x-passport']));
  if (passport === undefined)
    return fail(res, 401, 'Unauthorized', 'The request did not come through the gateway');
  const own = invoices.get(passport.business_id) ?? [];
  const { pathname } = new URL(req.url ?? '', 'http://invoices');
  if (pathname === '/v2/invoices' && req.method === 'POST') return create(passport, req, res);
  if (pathname === '/v2/invoices') return respond(res, 200, own);
  const found = own.find(({ id }) => pathname === `/v2/invoices/${id}`);
  if (found === undefined) return fail(res, 404, 'Not Found', 'No such invoice');
  respond(res, 200, found);
}

async function create({ business_id: business }: Passport, req: IncomingMessage, res: ServerResponse) {
  const { customer, total } = ((await json(req).catch(() => undefined)) ?? {}) as Partial<Invoice>;
  if (typeof customer !== 'string' || customer === '')
    return fail(res, 400, 'Bad Request', 'customer: must be text');
  if (total === undefined || !Number.isSafeInteger(total) || total < 0)
    return fail(res, 400, 'Bad Request', 'total: must be a whole number, 0 or more');
  const id = `inv_${randomBytes(8).toString('hex')}`;
  const invoice = { id, customer, total, created_at: new Date().toISOString() };
  invoices.set(business, [invoice, ...(invoices.get(business) ?? [])]);
  // A service with a database keeps the event beside the invoice, and sends it until it was sent.
  await sendEvent({ businessId: business, type: 'invoice.created', data: { id, total }, idempotencyId: id });
  respond(res, 201, invoice, { Location: `/v2/invoices/${id}` });
}

const listener = (req: IncomingMessage, res: ServerResponse) => {
  handle(req, res).catch((error: unknown) => {
    process.stderr.write(`${req.headers['x-request-id']} ${error instanceof Error ? error.stack : error}\n`);
    fail(res, 500, 'Internal Server Error', 'unexpected error');
  });
};
const server = tls
  ? https.createServer({ ...tls, requestCert: true }, listener)
  : http.createServer(listener);
// The gateway keeps connections for a minute.
server.keepAliveTimeout = 65_000;
server.listen(Number(PORT), HOST, () => process.stdout.write(`invoices listens on port ${PORT}\n`));
process.once('SIGTERM', () => {
  server.close();
  server.closeIdleConnections();
});
