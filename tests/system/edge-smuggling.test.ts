import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fencedUpstream } from '../harness/fenced-upstream.ts';
import type { RawOptions } from '../harness/raw-request.ts';
import { parseResponses } from '../harness/raw-responses.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

const upstream = running(fencedUpstream);
const platform = running(() => sharedBehind({ upstreams: [upstream.origin] }));
let key: string;
let authorization: string;

beforeAll(async () => {
  key = (await platform.createKey()).keyString;
  authorization = bearerLine(key);
  await send(request('GET', '/v2/order'));
});
beforeEach(() => upstream.clear());

const send = (bytes: string | readonly string[], options: RawOptions = {}) =>
  upstream.send(platform.gatewayPorts[0] ?? 0, key, bytes, options);
const request = (method: string, target: string, lines: readonly string[] = [], body = '') =>
  requestBytes(method, target, [authorization, ...lines], body);

/** A request that an attacker hides behind another: it would be authorized, if it were read as a request. */
const hidden = () => request('GET', '/v2/order?hidden');

/** Expects one whole response, the end of the connection, and nothing at the upstream. */
async function expectRefusal(bytes: string, status: number, error: unknown): Promise<void> {
  const response = await send(bytes + hidden());
  const [refusal, ...more] = parseResponses(response.text);
  expect(upstream.arrived()).toEqual([]);
  expect(refusal).toMatchObject({
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Request-Id': expect.any(String) },
  });
  expect(JSON.parse(refusal?.text ?? '')).toMatchObject({ error, code: status });
  expect(more).toEqual([]);
  expect(response.text).toMatch(/\r\nConnection: close\r\n/);
  expect(response.closed).toBe(true);
}

const malformed = 'the request is malformed';
/** Node's parser refuses some of these itself, and the gateway what it lets through. */
const mustBeChunked = expect.stringMatching(/^(the request is malformed|Transfer-Encoding must be chunked)$/);
const chunkedHello = '5\r\nhello\r\n0\r\n\r\n';

describe('Transfer-Encoding that could be read in two ways is refused', () => {
  const unclear = (value: string) => [`is ${value}`, [`Transfer-Encoding: ${value}`], mustBeChunked] as const;

  test.each([
    ['with Content-Length', ['Content-Length: 5', 'Transfer-Encoding: chunked'], malformed],
    ['before Content-Length', ['Transfer-Encoding: chunked', 'Content-Length: 5'], malformed],
    ['with Content-Length, in other cases', ['content-LENGTH: 5', 'TRANSFER-encoding: chunked'], malformed],
    ...['chunked, chunked', 'xchunked', 'gzip, chunked', 'chunked, gzip', 'identity'].map(unclear),
    ...['chunked;q=1', '"chunked"', ',chunked'].map(unclear),
    ['empty', ['Transfer-Encoding:'], mustBeChunked],
    ['two lines', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], mustBeChunked],
    ['two lines that differ', ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked'], mustBeChunked],
    ['two lines, reversed', ['Transfer-Encoding: chunked', 'Transfer-Encoding: cow'], mustBeChunked],
    ['space before the colon', ['Transfer-Encoding : chunked'], malformed],
    ['tab before the colon', ['Transfer-Encoding\t: chunked'], malformed],
    ['folded into its own line', ['Transfer-Encoding:', ' chunked'], malformed],
    ['folded into another header', ['X-A: 1', ' Transfer-Encoding: chunked'], malformed],
    ['folded with a tab', ['X-A: 1', '\tTransfer-Encoding: chunked'], malformed],
    ['vertical tab in the value', ['Transfer-Encoding: \x0bchunked'], malformed],
    ['behind a bare LF', ['X-A: 1\nTransfer-Encoding: chunked'], malformed],
    ['behind a bare CR', ['X-A: 1\rTransfer-Encoding: chunked'], malformed],
    ['behind NUL', ['X-A: 1\0', 'Transfer-Encoding: chunked'], malformed],
    ['NUL in the value', ['Transfer-Encoding: chunked\0'], malformed],
  ])('%s', async (_, lines, error) => {
    await expectRefusal(request('POST', '/v2/order', lines, chunkedHello), 400, error);
  });

  test.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PROPFIND'])('with the method %s', async (method) => {
    const bytes = request(method, '/v2/order', ['Transfer-Encoding: chunked'], chunkedHello);
    const response = await send(bytes + hidden());
    expect(upstream.arrived()).toEqual([]);
    expect(response.statuses).toEqual([411]);
    expect(response.closed).toBe(true);
  });
});

describe('Content-Length that could be read in two ways is refused', () => {
  test.each([
    ...['+5', '0x5', '-1', '5,5', '5, 5', '5 5', '5.0', '1e1', '18446744073709551621'].map(
      (value) => [`is ${value}`, [`Content-Length: ${value}`]] as const,
    ),
    ['empty', ['Content-Length:']],
    ['two lines', ['Content-Length: 5', 'Content-Length: 5']],
    ['two lines that differ', ['Content-Length: 5', 'Content-Length: 0']],
    ['space before the colon', ['Content-Length : 5']],
    ['folded', ['Content-Length:', ' 5']],
  ])('%s', async (_, lines) => {
    await expectRefusal(request('POST', '/v2/order', lines, 'hello'), 400, malformed);
  });

  test('on a GET as well', async () => {
    await expectRefusal(request('GET', '/v2/order', ['Content-Length: 5,5'], 'hello'), 400, malformed);
  });

  test('but not a header with a similar name', async () => {
    const bytes = request('POST', '/v2/order', ['Content_Length: 5']);
    await expectRefusal(bytes, 411, 'Content-Length is required');
  });
});

describe('a repeated Authorization header, and a Host header that is repeated, missing or invalid, are refused', () => {
  const oneBearer = 'more than one Authorization header';
  const oneHost = 'exactly one Host header is required';
  const invalidHost = 'the Host header is not valid';
  const host = 'Host: api.test';
  const bare = (...lines: string[]) => ['GET /v2/order HTTP/1.1', ...lines, '', ''].join('\r\n');

  test.each([
    ['Host', () => bare(host, host, authorization), oneHost],
    ['Host, another one', () => bare(host, 'host: evil.test', authorization), oneHost],
    ['no Host', () => bare(authorization), oneHost],
    ['Host, empty', () => bare('Host:', authorization), invalidHost],
    ['Host with user', () => bare('Host: a@api.test', authorization), invalidHost],
    ['Host with path', () => bare('Host: api.test/x', authorization), invalidHost],
    ['Host with two ports', () => bare('Host: api.test:80:80', authorization), invalidHost],
    ['Authorization', () => request('GET', '/v2/order', [authorization]), oneBearer],
    ['Authorization, another one', () => bare(host, 'Authorization: Bearer x', authorization), oneBearer],
  ])('%s', async (_, bytes, error) => {
    await expectRefusal(bytes(), 400, error);
  });
});

describe('messages that are not HTTP/1.1 are refused', () => {
  const inVersion = (version: string, ...lines: string[]) =>
    request('GET', '/v2/order', lines).replace('HTTP/1.1', version);
  const version = 'HTTP/1.1 is required';

  test.each([
    ['HTTP/1.0', () => inVersion('HTTP/1.0'), version],
    ['HTTP/1.0 with keep-alive', () => inVersion('HTTP/1.0', 'Connection: keep-alive'), version],
    ['HTTP/0.9', () => inVersion('HTTP/0.9'), version],
    ['no version', () => request('GET', '/v2/order').replace(' HTTP/1.1', ''), version],
    ['HTTP/1.2', () => inVersion('HTTP/1.2'), malformed],
    ['HTTP/2.0', () => inVersion('HTTP/2.0'), version],
    ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', malformed],
    ['http/1.1', () => inVersion('http/1.1'), malformed],
    ['LF at the end of lines', () => request('GET', '/v2/order').replaceAll('\r\n', '\n'), malformed],
    ['LF after the request line', () => request('GET', '/v2/order').replace('\r\n', '\n'), malformed],
    ['LF before the empty line', () => request('GET', '/v2/order').replace('\r\n\r\n', '\n\r\n'), malformed],
    ['CR at the end of lines', () => request('GET', '/v2/order').replaceAll('\r\n', '\r'), malformed],
    ['CR in the target', () => request('GET', '/v2/order\r'), malformed],
    ['NUL in a header', () => request('GET', '/v2/order', ['X-A: a\0b']), malformed],
    ['CR in a header', () => request('GET', '/v2/order', ['X-A: a\rb']), malformed],
    ['a header without a name', () => request('GET', '/v2/order', [': a']), malformed],
    ['a header without a colon', () => request('GET', '/v2/order', ['X-A']), malformed],
    ['a space in a header name', () => request('GET', '/v2/order', ['X A: 1']), malformed],
  ])('%s', async (_, bytes, error) => {
    await expectRefusal(bytes(), 400, error);
  });

  test.each(['GETX', 'get'])('a method that HTTP does not know: %s', async (method) => {
    await expectRefusal(request(method, '/v2/order'), 405, 'method not allowed');
  });
});

describe('a body that breaks its own framing ends the connection', () => {
  test.each([
    ['a size in hexadecimal notation', '0x5\r\nhello\r\n0\r\n\r\n'],
    ['a negative size', '-5\r\nhello\r\n0\r\n\r\n'],
    ['a size with a sign', '+5\r\nhello\r\n0\r\n\r\n'],
    ['a size behind a space', ' 5\r\nhello\r\n0\r\n\r\n'],
    ['no size', '\r\nhello\r\n0\r\n\r\n'],
    ['a size beyond 64 bits', '10000000000000005\r\nhello\r\n0\r\n\r\n'],
    ['more bytes than announced', '5\r\nhello!\r\n0\r\n\r\n'],
    ['LF after the size', '5\nhello\r\n0\r\n\r\n'],
    ['LF after the data', '5\r\nhello\n0\r\n\r\n'],
    ['CR in an extension', '5;a\rb\r\nhello\r\n0\r\n\r\n'],
    ['LF in an extension', '5;a\nhello\r\n0\r\n\r\n'],
    ['NUL in an extension', '5;a\0\r\nhello\r\n0\r\n\r\n'],
    ['a malformed trailer', '5\r\nhello\r\n0\r\nX A: 1\r\n\r\n'],
  ])('%s', async (_, body) => {
    const response = await send(
      request('POST', '/v2/order', ['Transfer-Encoding: chunked'], body) + hidden(),
    );
    expect(upstream.arrived()).toEqual([]);
    const refusal = `{"error":"${malformed}","status":"Bad Request","code":400}`;
    expect(parseResponses(response.text)).toMatchObject([{ status: 400, text: refusal }]);
    expect(response.closed).toBe(true);
  });
});

describe('an unambiguous message is forwarded byte for byte', () => {
  const ok = async (bytes: string, ...expected: string[]) => {
    const response = await send(bytes, { responses: expected.length });
    expect(upstream.arrived()).toEqual(expected);
    expect(response.statuses).toEqual(expected.map(() => 200));
    expect(response.closed).toBe(false);
    return response;
  };
  const post = (lines: string[], body: string) => request('POST', '/v2/order', lines, body);

  test.each([
    ['chunked', ['Transfer-Encoding: chunked'], chunkedHello],
    ['chunked, in any case', ['TRANSFER-ENCODING: CHUNKED'], chunkedHello],
    ['chunked between spaces', ['Transfer-Encoding:   chunked  '], chunkedHello],
    ['chunked behind a tab', ['Transfer-Encoding:\tchunked'], chunkedHello],
    ['chunked, with extensions', ['Transfer-Encoding: chunked'], '5;a=b;c="d"\r\nhello\r\n0;e\r\n\r\n'],
    ['chunked, with leading zeros', ['Transfer-Encoding: chunked'], '00005\r\nhello\r\n000\r\n\r\n'],
    ['chunked, byte for byte', ['Transfer-Encoding: chunked'], '1\r\nh\r\n1\r\ne\r\n3\r\nllo\r\n0\r\n\r\n'],
    [
      'chunked, with trailers',
      ['Transfer-Encoding: chunked', 'Trailer: X-Passport'],
      '5\r\nhello\r\n0\r\nX-Passport: x\r\nAuthorization: x\r\n\r\n',
    ],
    ['with a length', ['Content-Length: 5'], 'hello'],
    ['with a length between spaces', ['Content-Length:   5  '], 'hello'],
    ['with a length with zeros', ['Content-Length: 0005'], 'hello'],
    ['with a length that Connection names', ['Content-Length: 5', 'Connection: Content-Length'], 'hello'],
    [
      'chunked, and Connection names it',
      ['Transfer-Encoding: chunked', 'Connection: Transfer-Encoding'],
      chunkedHello,
    ],
  ])('a body: %s', async (_, lines, body) => {
    await ok(post(lines, body), 'POST /order hello');
    const [recorded] = upstream.requests;
    expect(recorded?.values('x-passport')).toHaveLength(1);
    expect(recorded?.values('x-passport')).not.toContain('x');
    expect(recorded?.values('trailer')).toEqual([]);
    const framing = ['content-length', 'transfer-encoding'].flatMap((name) => recorded?.values(name));
    expect(framing).toHaveLength(1);
  });

  test.each(['GET', 'POST'])(
    'a streamed body of %s stays a body if Connection names its Content-Length',
    async (method) => {
      const inner = hidden().repeat(Math.ceil(300_000 / hidden().length));
      const lines = [`Content-Length: ${inner.length}`, 'Connection: keep-alive, Content-Length'];
      await ok(request(method, '/v2/order', lines, inner), `${method} /order ${inner}`);
      expect(upstream.requests[0]?.values('content-length')).toEqual([`${inner.length}`]);
    },
  );

  test('a body that looks like a request stays a body', async () => {
    const inner = hidden();
    await ok(post([`Content-Length: ${inner.length}`], inner), `POST /order ${inner}`);
  });

  test('a chunked body that looks like a request stays a body', async () => {
    const inner = hidden();
    const chunked = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    await ok(post(['Transfer-Encoding: chunked'], chunked), `POST /order ${inner}`);
  });

  test.each(['GET', 'HEAD'])('the body of a %s with a length stays a body', async (method) => {
    const inner = hidden();
    const bytes = request(method, '/v2/order', [`Content-Length: ${inner.length}`], inner);
    await ok(bytes, `${method} /order ${inner}`);
  });

  test('an empty body', async () => {
    const chunked = post(['Transfer-Encoding: chunked'], '0\r\n\r\n');
    await ok(post(['Content-Length: 0'], '') + chunked, 'POST /order ', 'POST /order ');
  });

  test('pipelined requests get their responses in order, each on its own', async () => {
    const get = (n: number) => request('GET', `/v2/order/o${n}`);
    const pipelined = get(1) + post(['Content-Length: 5'], 'hello') + get(2) + hidden() + get(3);
    const { text } = await send(pipelined, { responses: 5 });
    const targets = [...text.matchAll(/Location: (.*)\r\n/gi)].map(([, target]) => target);
    expect(targets).toEqual(['/order/o1', '/order', '/order/o2', '/order?hidden', '/order/o3']);
    expect(upstream.arrived().toSorted()).toEqual([
      'GET /order/o1 ',
      'GET /order/o2 ',
      'GET /order/o3 ',
      'GET /order?hidden ',
      'POST /order hello',
    ]);
  });

  test('each pipelined request is authorized separately', async () => {
    const stranger = 'GET /v2/order?stranger HTTP/1.1\r\nHost: api.test\r\n\r\n';
    const pipelined = request('GET', '/v2/order/o1') + stranger + request('GET', '/v2/order/o2');
    const response = await send(pipelined, { responses: 3 });
    expect(upstream.arrived()).toEqual(['GET /order/o1 ', 'GET /order/o2 ']);
    expect(response.statuses).toEqual([200, 401, 200]);
  });

  test('a request that ends the connection is the last one', async () => {
    const response = await send(request('GET', '/v2/order', ['Connection: close']) + hidden());
    expect(upstream.arrived()).toEqual(['GET /order ']);
    expect(response.statuses).toEqual([200]);
    expect(response.closed).toBe(true);
  });

  test('two spaces before the target are read as one', async () => {
    await ok(request('GET ', '/v2/order'), 'GET /order ');
  });

  test('bytes after a body are not part of it, and end the connection', async () => {
    // It ends without a word in the response.
    const untilClosed = { quietMs: 30_000 };
    const bytes = `${post(['Content-Length: 5'], 'helloNONSENSE')}\r\n\r\n${hidden()}`;
    const response = await send(bytes, untilClosed);
    expect(upstream.arrived()).toEqual(['POST /order hello']);
    expect(response.statuses).toEqual([200]);
    expect(response.closed).toBe(true);
  });

  test('a request that is sent byte by byte is the same request', async () => {
    const bytes = post(['Transfer-Encoding: chunked'], chunkedHello);
    const response = await send([...bytes]);
    expect(response.statuses).toEqual([200]);
    expect(upstream.arrived()).toEqual(['POST /order hello']);
  });
});
