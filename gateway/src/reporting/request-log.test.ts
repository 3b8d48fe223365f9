import { PassThrough } from 'node:stream';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import type { EndedRequest } from './ended-request.ts';
import { createRequestLog } from './request-log.ts';

const request: EndedRequest = {
  requestId: '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60',
  traceId: undefined,
  method: 'GET',
  path: '/v2/order',
  route: '/v2/order',
  status: 200,
  ms: 1.249,
  upstreamMs: 1,
  responseBytes: 2,
  userAgent: undefined,
  requiredScope: '',
  invalidInput: undefined,
  errorBody: undefined,
  clientIp: '2001:db8::1',
  principal: {
    businessId: 7,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
    credentialId: 'key_1',
    limitId: 'key_1',
  },
  isSimulated: false,
  refusal: undefined,
  complete: true,
  at: Date.UTC(2026, 10, 22, 8, 0, 0, 7),
};

function logged(given: Partial<EndedRequest>): string {
  const lines: string[] = [];
  createRequestLog({ service: 'gateway', isEnabled: true, write: (line) => lines.push(line) })({
    ...request,
    ...given,
  });
  return lines.join('');
}

test('the log line is identical to that of the logger', () => {
  const stream = new PassThrough();
  createLogger({ service: 'gateway', level: 'info', stream }).info(
    {
      requestId: request.requestId,
      method: 'GET',
      path: '/v2/order',
      status: 200,
      ms: 1.2,
      ip: '2001:db8::1',
      business: 7,
      credential: 'key_1',
      refusal: undefined,
      complete: true,
    },
    'request',
  );
  const withoutTime = (line: string) => line.replace(/"time":"[^"]*"/, '');
  expect(withoutTime(logged({}))).toBe(withoutTime(String(stream.read())));
  expect(JSON.parse(logged({})).time).toBe('2026-11-22T08:00:00.007Z');
});

test.each(['/"', '/\\', '/a"b\\"', '/","status":500,"x":"', '/~!$&()*+,;=:@'])(
  'the path %s cannot break out of its JSON string',
  (path) => {
    expect(JSON.parse(logged({ path }))).toMatchObject({ path, status: 200 });
  },
);

test('a request without a credential has no business or credential, and a refused one has its reason', () => {
  const line = JSON.parse(logged({ principal: undefined, refusal: 'missing', status: 401 }));
  expect(line).toMatchObject({ refusal: 'missing', status: 401 });
  expect(Object.keys(line)).not.toEqual(expect.arrayContaining(['business', 'credential']));
});

test('nothing is written below the level', () => {
  const lines: string[] = [];
  createRequestLog({ service: 'gateway', isEnabled: false, write: (line) => lines.push(line) })(request);
  expect(lines).toEqual([]);
});
