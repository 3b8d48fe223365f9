import { connect } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricsOf } from '../harness/metrics.ts';
import { mutate, type Random, seededRandom } from '../harness/mutate.ts';
import { rawUpstream } from '../harness/raw-upstream.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * Thousands of messages that are nearly HTTP, from both sides: no exit, no hang, no growth. FUZZ_SEED repeats a run, FUZZ_MESSAGES lengthens it.
 */

const messages = Number(process.env.FUZZ_MESSAGES ?? 6_000);
const atOnce = 64;
/** Milliseconds after which a connection without an end counts as hung; the gateway's own limits lie far below. */
const hangMs = 30_000;
/** Milliseconds of a run: 50 for each message. */
const limitMs = Math.max(120_000, 50 * messages);
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);

const ok = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwell');

const upstream = running(rawUpstream);
const platform = running(() =>
  sharedBehind({
    upstreams: [upstream.origin],
    gatewayEnv: { UPSTREAM_TIMEOUT_MS: '200', LOG_LEVEL: 'error' },
  }),
);
let key: string;

beforeAll(async () => {
  const made = await platform.createKey();
  await platform.setKeyLimit(made, 1_000_000);
  key = made.keyString;
});

async function residentMegabytes(): Promise<number> {
  const text = await metricsOf(platform.gateways[0]);
  return Number(/^process_resident_memory_bytes\{.*\} (\d+)/m.exec(text)?.[1]) / 1024 / 1024;
}

/** Sends the bytes, and hears what comes until the connection ends or one response is there. */
function exchange(bytes: Buffer, endsBehind: boolean): Promise<'ended' | 'hung'> {
  return new Promise((resolve) => {
    const socket = connect(platform.gatewayPorts[0] ?? 0, '127.0.0.1');
    const hung = setTimeout(() => finish('hung'), hangMs);
    const finish = (end: 'ended' | 'hung') => {
      clearTimeout(hung);
      socket.destroy();
      resolve(end);
    };
    socket.on('error', () => undefined).once('close', () => finish('ended'));
    socket.once('data', () => finish('ended'));
    if (endsBehind) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** Runs `one` so many times, several at a time; memory is read after the first quarter and at the end. */
async function fuzz(one: (random: Random) => Promise<'ended' | 'hung'>) {
  const random = seededRandom(seed);
  const pid = platform.gateways[0]?.pid;
  let left = messages;
  let hung = 0;
  const work = async (until: number) => {
    while (left > until) {
      left--;
      if ((await one(random)) === 'hung') hung++;
    }
  };
  const run = (until: number) => Promise.all(Array.from({ length: atOnce }, () => work(until)));
  await run((messages * 3) / 4);
  const early = await residentMegabytes();
  await run(0);
  const late = await residentMegabytes();
  upstream.behave((socket) => void socket.write(ok));
  // A pause of this process may be longer than the gateway waits for the upstream.
  const after = await expectEventually(
    async () => {
      const response = await platform.request(0, 'GET', '/v2/order', { key });
      expect(response.status).not.toBe(504);
      return response;
    },
    { withinMs: 5_000 },
  );
  const text = await metricsOf(platform.gateways[0]);
  return {
    hung,
    grew: late - early > 100,
    isSameProcess: platform.gateways[0]?.isRunning() === true && platform.gateways[0]?.pid === pid,
    after: after.status,
    unexpected: Number(/^gateway_unexpected_errors_total\{.*\} (\d+)/m.exec(text)?.[1]),
  };
}

const unharmed = { hung: 0, grew: false, isSameProcess: true, after: 200, unexpected: 0 };

test(
  `${messages} requests that are nearly HTTP (seed ${seed})`,
  async () => {
    upstream.behave((socket) => void socket.write(ok));
    const corpus = [
      requestBytes('GET', '/v2/order?a=b', [bearerLine(key), 'Accept: */*']),
      requestBytes('POST', '/v2/order', [bearerLine(key), 'Content-Length: 5'], 'hello'),
      requestBytes(
        'POST',
        '/v2/order',
        [bearerLine(key), 'Transfer-Encoding: chunked'],
        '5\r\nhello\r\n0\r\n\r\n',
      ),
      requestBytes('POST', '/login', ['Content-Length: 9', 'Cookie: a=b'], 'email=a%40'),
      requestBytes(
        'POST',
        '/v2/oauth/token',
        ['Expect: 100-continue', 'Transfer-Encoding: chunked'],
        '0\r\n\r\n',
      ),
      requestBytes('GET', '/v2/order', [bearerLine(key), 'Connection: close']),
      requestBytes('PATCH', '/v2/order/ord_1', [bearerLine(key), 'Content-Length: 2'], '{}'),
    ].map((text) => Buffer.from(text, 'latin1'));
    const result = await fuzz((random) => {
      const message = mutate(corpus[random(corpus.length)] ?? Buffer.alloc(0), corpus, random);
      // What is cut short would wait for its rest until the limits of a slow request: most clients end behind it.
      return exchange(message, random(20) !== 0);
    });
    expect(result).toEqual(unharmed);
  },
  limitMs,
);

test(
  `${messages} responses of an upstream that are nearly HTTP (seed ${seed})`,
  async () => {
    const corpus = [
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 2\r\n\r\n{}',
      'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      `HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`,
    ].map((text) => Buffer.from(text, 'latin1'));
    const request = Buffer.from(requestBytes('GET', '/v2/order', [bearerLine(key)]));
    const result = await fuzz((random) => {
      upstream.behave((socket) => {
        socket.write(mutate(corpus[random(corpus.length)] ?? ok, corpus, random));
        if (random(3) === 0) socket.end();
      });
      return exchange(request, false);
    });
    expect(result).toEqual(unharmed);
  },
  limitMs,
);
