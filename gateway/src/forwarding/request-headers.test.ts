import { describe, expect, test } from '@jest/globals';
import { Span } from '@platform/service-kit/telemetry/span.ts';
import type { RemoteParent } from '@platform/service-kit/telemetry/traceparent.ts';
import { upstreamRequestHeaders } from './request-headers.ts';

const context = {
  requestId: 'req-1',
  clientIp: '1.2.3.4',
  protocol: 'http',
  prefix: '/v2',
  host: 'business-service',
  authHeaders: { 'x-passport': 'passport' },
  forwardsCredentials: false,
  bodyLength: undefined,
};

const own = {
  host: 'business-service',
  'x-request-id': 'req-1',
  'x-forwarded-for': '1.2.3.4',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'api.example',
  'x-forwarded-prefix': '/v2',
  'x-passport': 'passport',
};

test('end-to-end headers pass, and a client cannot forge the gateway’s', () => {
  const sent = upstreamRequestHeaders(
    {
      host: 'api.example',
      accept: 'application/json',
      'idempotency-key': 'k',
      'x-custom': 'kept',
      authorization: 'Bearer secret',
      cookie: 'a=b',
      'x-passport': 'forged',
      'x-request-id': 'forged',
      x_passport: 'forged',
      x_forwarded_for: '6.6.6.6',
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-user': 'admin',
      'x-internal-role': 'admin',
      'x-business-id': '1',
      'x-scopes': 'orders:write',
      'cf-connecting-ip': '6.6.6.6',
      'true-client-ip': '6.6.6.6',
      'x-real-ip': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
      'x-original-url': '/admin',
      'x-http-method-override': 'DELETE',
    },
    context,
  );
  expect(sent).toEqual({ ...own, accept: 'application/json', 'idempotency-key': 'k', 'x-custom': 'kept' });
});

test('hop-by-hop headers and those named by Connection are dropped', () => {
  const sent = upstreamRequestHeaders(
    {
      host: 'api.example',
      connection: 'close, X-Secret-Hop , X-Passport',
      'x-secret-hop': '1',
      'keep-alive': 'timeout=5',
      te: 'trailers',
      trailer: 'x',
      upgrade: 'h2c',
      'http2-settings': 'x',
      'proxy-authorization': 'x',
      'proxy-connection': 'x',
    },
    context,
  );
  expect(sent).toEqual(own);
});

test('a chunked body stays chunked', () => {
  const sent = upstreamRequestHeaders({ host: 'api.example', 'transfer-encoding': 'Chunked' }, context);
  expect(sent['transfer-encoding']).toBe('chunked');
});

test('a buffered body has a Content-Length, even if it was chunked', () => {
  const received = { host: 'api.example', 'transfer-encoding': 'chunked' };
  const sent = upstreamRequestHeaders(received, { ...context, bodyLength: 5 });
  expect(sent).toEqual({ ...own, 'content-length': '5' });
});

test('only an upstream that reads credentials gets them', () => {
  const received = { host: 'api.example', authorization: 'Basic x', cookie: 'a=b' };
  expect(upstreamRequestHeaders(received, { ...context, forwardsCredentials: true })).toEqual({
    ...own,
    authorization: 'Basic x',
    cookie: 'a=b',
  });
  expect(upstreamRequestHeaders(received, context)).toEqual(own);
});

test('a header named by Connection is dropped even if credentials are forwarded', () => {
  const received = { host: 'api.example', connection: 'cookie', cookie: 'a=b' };
  expect(upstreamRequestHeaders(received, { ...context, forwardsCredentials: true })).toEqual(own);
});

describe('the trace headers of a request', () => {
  const sink = { export: () => undefined, exportFailed: () => true, countExcess: () => undefined };
  const operation = { name: 'GET', kind: 3, attributes: {} } as const;
  const client = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true, tracestate: 'vendor=1' };
  const headersOf = (isSampled: boolean, parent?: RemoteParent) => {
    const requestId = '0a1b2c3d-4e5f-4678-9abc-def012345678';
    const root = Span.startRoot(sink, { requestId, isSampled, parent, operation, startedAt: 0 });
    const { traceparent, tracestate } = upstreamRequestHeaders(
      {},
      { ...context, span: root.startForwarding(operation) },
    );
    return [traceparent, tracestate];
  };

  test('are sent upstream if it is sampled or continues the trace of its client', () => {
    expect(headersOf(true)).toEqual([
      expect.stringMatching(/^00-0a1b2c3d4e5f46789abcdef012345678-\w{16}-01$/),
      undefined,
    ]);
    expect(headersOf(false, client)).toEqual([expect.stringMatching(/^00-a{32}-\w{16}-00$/), 'vendor=1']);
  });

  test('are left out otherwise, since the request id identifies the trace', () => {
    expect(headersOf(false)).toEqual([undefined, undefined]);
  });
});
