import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { orderBody } from '../harness/business-platform.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { failWrites } from '../harness/fail-writes.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { logLines } from '../harness/log-lines.ts';
import { metricOf } from '../harness/metrics.ts';
import { oauthClient } from '../harness/oauth.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { recordingUpstream } from '../harness/recording-upstream.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { keyForms } from '../harness/secret-forms.ts';
import { sharedBehind } from '../harness/shared-platform.ts';
import { type CollectedSpan, startTraceCollector, type TraceCollector } from '../harness/trace-collector.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { connectWebhooks, makeOrder } from '../harness/webhooks.ts';

/* Traces, as a real collector gets them from real services. */

const within = { withinMs: 10_000 };

/** Gateways of the platform: one that samples every request, and one that samples none. */
const sampling = 0;
const notSampling = 1;

let collector: TraceCollector;
let receiver: WebhookReceiver;
let platform: Platform;
beforeAll(async () => {
  collector = await startTraceCollector();
  receiver = await startWebhookReceiver();
  const traced = (rate: string) => ({ OTLP_ENDPOINT: collector.endpoint, TRACE_SAMPLE_RATE: rate });
  platform = await startPlatform({
    gateways: 2,
    webhooks: 1,
    gatewayEnv: (index) => ({ ...traced(index === sampling ? '1' : '0'), TRUSTED_PROXIES: '127.0.0.1' }),
    // The others follow the gateway.
    identityEnv: traced('0'),
    businessEnv: traced('0'),
    webhookEnv: traced('0'),
  });
});
afterAll(async () => {
  await platform?.close();
  await receiver?.close();
  await collector?.close();
});

const requestIdOf = ({ headers }: HttpResponse) => String(headers['x-request-id']);

/** The trace that begins with a request at the gateway. */
const traceOf = (response: HttpResponse) => requestIdOf(response).replaceAll('-', '');

/** Waits for the trace that has these spans, `service name`. */
function awaitTrace(traceId: string, ...wanted: readonly string[]): Promise<readonly CollectedSpan[]> {
  return expectEventually(() => {
    const spans = collector.trace(traceId);
    const names = spans.map(({ service, name }) => `${service} ${name}`);
    expect(names).toEqual(expect.arrayContaining([...wanted]));
    return spans;
  }, within);
}

function spanIn(
  spans: readonly CollectedSpan[],
  service: string,
  name: string,
  parent?: CollectedSpan,
): CollectedSpan {
  const found = spans.find(
    (span) =>
      span.service === service &&
      span.name === name &&
      (parent === undefined || span.parentSpanId === parent.spanId),
  );
  if (found === undefined) {
    const seen = spans.map((span) => `${span.service} ${span.name} below ${span.parentSpanId}`);
    throw new Error(`no ${service} ${name} below ${parent?.name}, but ${seen.join(', ')}`);
  }
  return found;
}

const authorize = 'identity.v1.AuthorizationService/Authorize';
const server = 2;
const client = 3;

test('a request has one trace from the gateway to its SQL statements and the receiver of its event', async () => {
  const webhooks = connectWebhooks(platform);
  const { keyString: key } = await platform.createKey();
  const owner = { businessId: platform.businessId, applicationId: '' };
  await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
  const response = await platform.request(sampling, 'POST', '/v2/order', {
    key,
    body: orderBody,
  });
  webhooks.close();
  expect(response.status).toBe(201);
  const spans = await awaitTrace(
    traceOf(response),
    'gateway POST /v2/order',
    `identity-service ${authorize}`,
    'identity-service SELECT api_keys',
    'business-service POST /order',
    'webhook-service POST',
  );
  const root = spanIn(spans, 'gateway', 'POST /v2/order');
  expect(root).toMatchObject({
    kind: server,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v2/order',
      'http.response.status_code': 201,
      'url.scheme': 'http',
      'request.id': requestIdOf(response),
      'business.id': platform.businessId,
    },
  });
  expect(root.parentSpanId).toBeUndefined();

  expect(spanIn(spans, 'gateway', 'EVALSHA admit', root).attributes).toMatchObject({
    'db.system.name': 'redis',
    'db.operation.name': 'EVALSHA',
  });
  // Where a slow one was hedged there are two, one of them cancelled, and both may have waited for one statement.
  const authorizations = spans.filter(({ name }) => name === authorize);
  const sent = authorizations.find(
    ({ service, attributes }) => service === 'gateway' && attributes['rpc.grpc.status_code'] === 0,
  );
  const served = authorizations.find(({ parentSpanId }) => parentSpanId === sent?.spanId);
  expect(sent).toMatchObject({ name: authorize, parentSpanId: root.spanId });
  const call = {
    'rpc.system': 'grpc',
    'rpc.service': 'identity.v1.AuthorizationService',
    'rpc.method': 'Authorize',
    'rpc.grpc.status_code': 0,
  };
  expect(sent).toMatchObject({ kind: client, attributes: call });
  expect(served).toMatchObject({ service: 'identity-service', kind: server, attributes: call });
  const selected = spanIn(spans, 'identity-service', 'SELECT api_keys');
  expect(selected.attributes).toMatchObject({
    'db.system.name': 'postgresql',
    'db.operation.name': 'SELECT',
    'server.address': '127.0.0.1',
  });
  const handlers = authorizations.filter(({ service }) => service === 'identity-service');
  expect(handlers.map(({ spanId }) => spanId)).toContain(selected.parentSpanId);

  const forwarded = spanIn(spans, 'gateway', 'POST', root);
  expect(forwarded).toMatchObject({
    kind: client,
    attributes: { 'server.address': 'business-service', 'http.response.status_code': 201 },
  });
  const handled = spanIn(spans, 'business-service', 'POST /order', forwarded);
  expect(handled).toMatchObject({ kind: server, attributes: { 'http.route': '/order' } });
  for (const statement of ['BEGIN', 'INSERT orders', 'INSERT events', 'COMMIT']) {
    spanIn(spans, 'business-service', statement, handled);
  }

  const attempt = spanIn(spans, 'webhook-service', 'POST', handled);
  expect(attempt).toMatchObject({
    kind: client,
    attributes: {
      'server.address': '127.0.0.1',
      'http.response.status_code': 204,
      'webhook.outcome': 'delivered',
      'business.id': platform.businessId,
    },
  });
  expect(receiver.received[0]?.headers).not.toHaveProperty('traceparent');
  expect(spans.filter(({ status }) => status !== undefined)).toEqual([]);
  // Each but the first has its parent in the trace.
  const ids = new Set(spans.map(({ spanId }) => spanId));
  expect(spans.filter((span) => span !== root && !ids.has(span.parentSpanId ?? ''))).toEqual([]);
});

test('the trace of a client is continued, with its tracestate', async () => {
  const { keyString: key } = await platform.createKey();
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const headers = { traceparent: `00-${traceId}-${spanId}-00`, tracestate: 'vendor=value' };
  await platform.request(sampling, 'GET', '/v2/order', { key, headers });
  const spans = await awaitTrace(traceId, 'gateway GET /v2/order', 'business-service GET /order');
  expect(spanIn(spans, 'gateway', 'GET /v2/order').parentSpanId).toBe(spanId);
  expect(new Set(spans.map(({ traceState }) => traceState))).toEqual(new Set(['vendor=value']));
});

test('log lines of a sampled request carry its trace', async () => {
  const { keyString: key } = await platform.createKey();
  const response = await platform.request(sampling, 'GET', '/v2/order', { key });
  const requestId = requestIdOf(response);
  for (const service of [platform.gateways[sampling], platform.identities[0], platform.businesses[0]]) {
    await expectEventually(() => {
      const lines = logLines(service ?? { logFile: '' }).filter((line) => line.requestId === requestId);
      // A slow Authorize is hedged: identity-service then has two lines.
      expect(new Set(lines.map(({ traceId }) => traceId))).toEqual(new Set([traceOf(response)]));
    }, within);
  }
});

describe('at a rate of 0', () => {
  const sampled = (traceId: string) => ({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` });

  test('a failed request is exported by every service that it failed in, others are not', async () => {
    const { keyString: key } = await platform.createKey();
    const forced = 'f'.repeat(32);
    const fine = await platform.request(notSampling, 'GET', '/v2/order', { key, headers: sampled(forced) });
    const refused = await platform.request(notSampling, 'GET', '/v2/order');
    const mend = await failWrites(platform.databases.business, 'orders', '53100');
    const failed = await platform.request(notSampling, 'POST', '/v2/order', { key, body: orderBody });
    await mend();
    expect([fine.status, refused.status, failed.status]).toEqual([200, 401, 503]);
    const spans = await awaitTrace(traceOf(failed), 'gateway POST /v2/order', 'business-service POST /order');
    const root = spanIn(spans, 'gateway', 'POST /v2/order');
    const handled = spanIn(spans, 'business-service', 'POST /order', spanIn(spans, 'gateway', 'POST', root));
    const statement = spanIn(spans, 'business-service', 'INSERT orders', handled);
    expect(root).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': '503' } });
    expect(handled).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': '503' } });
    expect(statement).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': '53100' } });
    expect(collector.trace(forced)).toEqual([]);
    expect(collector.trace(traceOf(fine))).toEqual([]);
    expect(collector.trace(traceOf(refused))).toEqual([]);
  });

  test('a request to an unreachable upstream is exported by the gateway, with the reason in its log', async () => {
    const { keyString: key } = await platform.createKey();
    await platform.businesses[0]?.stop();
    const response = await platform.request(notSampling, 'GET', '/v2/order', { key });
    await platform.businesses[0]?.start();
    // identity-service has connected to it again.
    await expectEventually(() => platform.createKey(), within);
    expect(response.status).toBe(502);
    const spans = await awaitTrace(traceOf(response), 'gateway GET /v2/order', 'gateway GET');
    const root = spanIn(spans, 'gateway', 'GET /v2/order');
    expect(root.attributes).toMatchObject({ 'error.type': 'upstream_failed' });
    expect(spanIn(spans, 'gateway', 'GET', root).attributes).toMatchObject({ 'error.type': 'no_response' });
    await expectEventually(() => {
      const lines = logLines(platform.gateways[notSampling] ?? { logFile: '' });
      expect(lines).toContainEqual(expect.objectContaining({ traceId: traceOf(response) }));
    }, within);
  });
});

test('no secret is among the exported bytes', async () => {
  const { keyString: key } = await platform.createKey();
  const application = await platform.createApplication({ businessId: platform.businessId });
  const oauth = oauthClient(platform, application);
  const token = await oauth.post('/v2/oauth/token', { grant_type: 'refresh_token', refresh_token: key });
  const order = await makeOrder(platform, key);
  const last = await platform.request(sampling, 'GET', `/v2/order/${order}?token=in-the-query`, { key });
  expect([token.status, last.status]).toEqual([400, 400]);
  await awaitTrace(traceOf(token.response), 'identity-service POST /oauth/token');
  await awaitTrace(traceOf(last), 'gateway GET /v2/order/{id}', 'business-service GET /order/:id');
  const bytes = collector.bytes();
  const { password } = new URL(platform.redis?.url ?? '');
  const databasePasswords = Object.values(platform.databases).map((url) => new URL(url).password);
  const secrets = [
    ...keyForms(key),
    ...keyForms(application.clientSecret),
    password,
    ...databasePasswords,
    platform.secrets.gatewaySecret,
    'in-the-query',
    'token=',
    order,
  ];
  expect(secrets.filter((secret) => secret === '' || bytes.includes(secret))).toEqual([]);
});

test('no request is traced without a collector, and the upstream gets no trace headers', async () => {
  const upstream = await recordingUpstream();
  const behind = await sharedBehind({ upstreams: [upstream.origin] });
  const { keyString: key } = await behind.createKey();
  const headers = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=value' };
  for (const sent of [{}, headers]) {
    const response = await behind.request(0, 'GET', '/v2/order', { key, headers: sent });
    expect(response.status).toBe(200);
  }
  const names = upstream.requests.flatMap(({ rawHeaders }) => rawHeaders.filter((_, i) => i % 2 === 0));
  expect(upstream.requests).toHaveLength(2);
  expect(names.filter((name) => name.toLowerCase().startsWith('trace'))).toEqual([]);
  expect(await metricOf(behind.gateways[0], 'trace_spans_exported_total')).toBe(0);
  await behind.close();
  await upstream.close();
});

test('a collector that hangs, refuses or fails affects no request, and dropped spans are counted', async () => {
  const hanging = await startTraceCollector('hang');
  const failing = await startTraceCollector('fail');
  const endpoints = [hanging.endpoint, failing.endpoint, `http://127.0.0.1:${await freePort()}`];
  const behind = await sharedBehind({
    gateways: endpoints.length,
    gatewayEnv: (index) => ({ OTLP_ENDPOINT: endpoints[index] ?? '', TRACE_SAMPLE_RATE: '1' }),
  });
  const { keyString: key } = await behind.createKey();
  for (const [index, gateway] of behind.gateways.entries()) {
    const send = () => behind.request(index, 'GET', '/v2/businesses/me', { key });
    const before = await Promise.all(Array.from({ length: 20 }, send));
    await expectEventually(async () => {
      const dropped = await metricOf(gateway, 'trace_spans_dropped_total', { reason: 'failed' });
      expect(dropped).toBeGreaterThan(0);
    }, within);
    const after = await send();
    expect([...before, after].filter(({ status }) => status !== 200)).toEqual([]);
    await expectEventually(() => {
      const warnings = logLines(gateway).filter(({ msg }) => msg.startsWith('the collector of traces'));
      expect(warnings).toHaveLength(1);
    }, within);
  }
  await Promise.all(behind.gateways.map((gateway) => gateway.stop()));
  await behind.close();
  await hanging.close();
  await failing.close();
});

test('headers for the collector are read from a file, sent with each export, and never logged', async () => {
  const failing = await startTraceCollector('fail');
  const secret = 'a vendor+key, 100%=';
  const file = join(runDirectory().newDirectory('otlp-headers'), 'headers');
  writeFileSync(file, `X-Api-Key=${encodeURIComponent(secret)},x-scope-orgid=tenant\n`);
  const accepting = await startTraceCollector();
  const collectors = [accepting, failing];
  const behind = await sharedBehind({
    gateways: collectors.length,
    gatewayEnv: (index) => ({
      OTLP_ENDPOINT: collectors[index]?.endpoint ?? '',
      OTLP_HEADERS_FILE: file,
      TRACE_SAMPLE_RATE: '1',
    }),
  });
  const { keyString: key } = await behind.createKey();
  const sent = { 'x-api-key': secret, 'x-scope-orgid': 'tenant', 'content-type': 'application/json' };
  for (const [index, { headers }] of collectors.entries()) {
    await behind.request(index, 'GET', '/v2/businesses/me', { key });
    await expectEventually(() => expect(headers()).toContainEqual(expect.objectContaining(sent)), within);
  }
  const [, refused] = behind.gateways;
  await expectEventually(() => {
    const messages = logLines(refused ?? { logFile: '' }).map(({ msg }) => msg);
    expect(messages).toContain('the collector of traces did not accept spans');
  }, within);
  await behind.close();
  const logs = behind.gateways.map(({ logFile }) => readFileSync(logFile, 'utf8'));
  expect(logs.filter((log) => /vendor|tenant/.test(log))).toEqual([]);
  expect(accepting.bytes()).not.toMatch(/vendor|tenant/);
  await accepting.close();
  await failing.close();
});

test('a service exports its remaining spans at shutdown', async () => {
  const { keyString: key } = await platform.createKey();
  const ask = () => platform.request(sampling, 'GET', '/v2/order', { key });
  let last = await ask();
  // Up to the end, so that no export between can have had it.
  const asking = (async () => {
    for (let next = last; next.status === 200; next = await ask()) last = next;
  })().catch(() => undefined);
  await Promise.all([platform.gateways[sampling]?.stop(), platform.businesses[0]?.stop(), asking]);
  const spans = collector.trace(traceOf(last));
  spanIn(spans, 'business-service', 'GET /order', spanIn(spans, 'gateway', 'GET'));
});
