import { createServer, request, type Server } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { bodyTooLarge, malformedUpstreamResponse } from './errors.ts';
import { EdgeRequest, EdgeResponse } from './exchange.ts';

const servers: Server<typeof EdgeRequest, typeof EdgeResponse>[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const tooLarge = bodyTooLarge(1);

interface Received {
  readonly status: number | undefined;
  readonly text: string;
  readonly isWhole: boolean;
}

type Handle = (req: EdgeRequest, res: EdgeResponse) => void;

/** Port of a server with the gateway's requests and responses. */
async function listen(handle: Handle): Promise<number> {
  const classes = { IncomingMessage: EdgeRequest, ServerResponse: EdgeResponse };
  const server = createServer(classes, handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The response that a client receives when the gateway handles its request like this. */
async function receive(handle: Handle): Promise<Received | 'cut'> {
  const port = await listen(handle);
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response
        .on('error', () => undefined)
        .on('close', () => {
          resolve({ status: response.statusCode, text, isWhole: response.complete });
        });
    });
    sent.on('error', () => resolve('cut')).end();
  });
}

/** An upstream request that records whether it was destroyed. */
function upstreamRequest() {
  const upstream = { isEnded: false, destroy: () => (upstream.isEnded = true) };
  return upstream;
}

test('the first refusal is sent, and later ones are ignored', async () => {
  const received = await receive(({ exchange }) => {
    exchange.refuse(tooLarge);
    exchange.refuse(malformedUpstreamResponse);
    expect(exchange.refusal).toBe('body_too_large');
  });
  expect(received).toMatchObject({ status: 413, isWhole: true });
});

test('a refusal ends the upstream request at any time, and no upstream response is relayed', async () => {
  const [early, late] = [upstreamRequest(), upstreamRequest()];
  const received = await receive(({ exchange }) => {
    exchange.attach(early);
    exchange.refuse(tooLarge);
    exchange.attach(late);
    expect(exchange.isOpen).toBe(false);
    expect(exchange.relay(200, {})).toBeUndefined();
  });
  expect(received).toMatchObject({ status: 413, isWhole: true });
  expect([early.isEnded, late.isEnded]).toEqual([true, true]);
});

test('a relayed response that has begun is cut by a later refusal, not overwritten', async () => {
  const upstream = upstreamRequest();
  const received = await receive(({ exchange }) => {
    exchange.attach(upstream);
    const response = exchange.relay(200, { 'Content-Length': '10' });
    response?.write('begun');
    setImmediate(() => exchange.refuse(tooLarge));
  });
  expect(received === 'cut' || (received.status === 200 && !received.isWhole)).toBe(true);
  expect(upstream.isEnded).toBe(true);
});

test('a complete response is not cut by a later refusal', async () => {
  const received = await receive(({ exchange }) => {
    const response = exchange.relay(200, { 'Content-Length': '5' });
    if (response !== undefined) exchange.endRelay(response, 'whole');
    exchange.refuse(tooLarge);
    expect(exchange.relay(200, {})).toBeUndefined();
  });
  expect(received).toEqual({ status: 200, text: 'whole', isWhole: true });
});

test.each([
  ['an invalid status', 42, {}],
  ['an invalid header name', 200, { 'a b': 'x' }],
  ['an invalid header value', 200, { etag: 'a\nb' }],
])('%s becomes 502', async (_, status, headers) => {
  const received = await receive(({ exchange }) => {
    expect(exchange.relay(status, headers)).toBeUndefined();
  });
  expect(received).toMatchObject({ status: 502, isWhole: true });
});

test('an exception becomes 500, is reported, and the process continues', async () => {
  const reported: unknown[] = [];
  const broken = new Error('broken');
  const received = await receive(({ exchange }) => {
    exchange.reportUnexpected = (_exchange, error) => reported.push(error);
    const listener = exchange.guard(() => {
      throw broken;
    });
    setImmediate(listener);
  });
  expect(received).toMatchObject({ status: 500, isWhole: true });
  expect(reported).toEqual([broken]);
});

test('destroying the response from outside the exchange refuses the request', async () => {
  const received = await receive((_req, res) => void res.destroy());
  expect(received).toMatchObject({ status: 502, isWhole: true });
});
