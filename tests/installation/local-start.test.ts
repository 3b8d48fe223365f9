import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { type NpmStart, npmStart } from '../harness/npm-start.ts';
import { query } from '../harness/postgres.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { pastedCurl } from '../harness/shell.ts';

/** Fills a new directory with everything on the PATH but one program, and returns it as a PATH. */
function pathWithout(program: string, directory: string): string {
  mkdirSync(directory, { recursive: true });
  const seen = new Set([program]);
  for (const each of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of listed(each)) {
      if (seen.has(name)) continue;
      seen.add(name);
      symlinkSync(join(each, name), join(directory, name));
    }
  }
  return directory;
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

interface Demo {
  readonly baseUrl: string;
  readonly business: { readonly id: number; readonly uniqueId: string; readonly username: string };
  readonly secretKey: string;
  readonly restrictedKey: string;
  readonly expiredKey: string;
  readonly application: { readonly redirectUri: string };
}

const readDemo = (directory: string): Demo => JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A connection that is kept open would hold up the end of the gateway. */
const close = { Connection: 'close' };
const portOf = ({ baseUrl }: Pick<Demo, 'baseUrl'>) => Number(new URL(baseUrl).port);

async function get(demo: Demo, path: string, key: string) {
  const { status, text } = await request(portOf(demo), 'GET', `/v2${path}`, { key, headers: close });
  return { status, text };
}

async function orderDates(demo: Demo): Promise<number[]> {
  const { text } = await get(demo, '/order?limit=100', demo.secretKey);
  const page: { data: { created_at: string }[] } = JSON.parse(text);
  return page.data.map((order) => Date.parse(order.created_at));
}

/** Counts requests and notices before a time, in milliseconds since 1970. */
function countPast(directory: string, time: number) {
  const { databases } = JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8'));
  return query(
    databases.identity,
    `SELECT (SELECT sum(count_2xx + count_4xx + count_5xx) FROM usage_hours WHERE hour < until)::int AS requests,
       (SELECT count(*) FROM request_log WHERE at > until - interval '6 days' AND at < until)::int AS failed,
       (SELECT count(*) FROM notices WHERE created_at < until)::int AS notices
     FROM (SELECT to_timestamp($1 / 1000.0) - interval '2 hours' AS until) AS given`,
    [time],
  );
}

/** Ctrl-C, and proof that nothing is left of it. */
async function endAndProveGone(start: NpmStart) {
  const stillRunning = start.snapshot();
  start.ctrlC();
  await start.exited;
  expect(start.output()).toMatch(/\nStopping .*\nStopped\.\n$/);
  expect(stillRunning()).toEqual([]);
}

describe('npm start, from the first start on,', () => {
  const directory = join(runDirectory().newDirectory('local'), '.local');
  let start: NpmStart;
  let pasted: string;
  let demo: Demo;

  beforeAll(async () => {
    start = await npmStart(directory);
    pasted = await start.untilReady();
    demo = readDemo(directory);
  });
  afterAll(() => start.ctrlC());

  test('shows its steps, each with its time', () => {
    for (const step of [
      'PostgreSQL',
      'Redis',
      'business-service',
      'identity-service',
      'gateway',
      'demo data',
    ]) {
      expect(start.output()).toMatch(new RegExp(`^ +${step} +ready \\(\\d+\\.\\d s\\)$`, 'm'));
    }
  });

  test('prints a curl that works as it is pasted', async () => {
    const { url, headers } = pastedCurl(pasted);
    const { port, pathname } = new URL(url);
    const response = await request(Number(port), 'GET', pathname, { headers: { ...headers, ...close } });
    expect(response.status).toBe(200);
    expect(response.json()).toMatchObject({ id: demo.business.id, username: demo.business.username });
  });

  test('writes demo.json with exactly the documented fields, readable only for its owner', () => {
    expect(Object.keys(demo).sort()).toEqual([
      'application',
      'baseUrl',
      'business',
      'expiredKey',
      'login',
      'restrictedKey',
      'secretKey',
    ]);
    expect(Object.keys(demo.business).sort()).toEqual(['id', 'uniqueId', 'username']);
    expect(['demo.json', 'secrets.json', 'run.json'].map((file) => modeOf(join(directory, file)))).toEqual([
      '600',
      '600',
      '600',
    ]);
    expect(['', 'postgres', 'logs', 'redis'].map((name) => modeOf(join(directory, name)))).toEqual([
      '700',
      '700',
      '700',
      '700',
    ]);
  });

  test('makes a restricted key that reads the business but no orders, and an expired key', async () => {
    expect(await get(demo, '/businesses/me', demo.restrictedKey)).toMatchObject({ status: 200 });
    expect(await get(demo, '/order', demo.restrictedKey)).toEqual({
      status: 403,
      text: '{"status":"Forbidden","code":403}',
    });
    expect(await get(demo, '/businesses/me', demo.expiredKey)).toEqual({
      status: 401,
      text: '{"error":"API key has expired","status":"Unauthorized","code":401}',
    });
  });

  test('makes 25 orders of the last 30 days', async () => {
    const dates = await orderDates(demo);
    expect(dates).toHaveLength(25);
    expect(Math.min(...dates)).toBeGreaterThan(Date.now() - 30 * 86_400_000);
    expect(Math.max(...dates)).toBeLessThan(Date.now());
  });

  test('refuses a second start on the same directory in one sentence', async () => {
    const second = await npmStart(directory);
    expect(await second.exited).toMatchObject({ code: 1 });
    expect(second.output()).toMatch(/^The platform already runs in this directory \(process \d+\): .*$/m);
  });

  test('ends everything on Ctrl-C, and continues with the same data on the next start', async () => {
    const lineItems = [{ name: 'One more', quantity: 1, unit_amount: 100 }];
    const made = await request(portOf(demo), 'POST', '/v2/order', {
      key: demo.secretKey,
      headers: close,
      body: { currency: 'EUR', line_items: lineItems, customer: { name: 'Ada' } },
    });
    expect(made.status).toBe(201);
    const now = Date.now();
    const past = await countPast(directory, now);
    await endAndProveGone(start);

    start = await npmStart(directory);
    await start.untilReady();
    const { baseUrl, application, ...same } = readDemo(directory);
    const { redirectUri } = demo.application;
    expect({ ...same, baseUrl: demo.baseUrl, application: { ...application, redirectUri } }).toEqual(demo);
    demo = { ...demo, baseUrl };
    expect(await orderDates(demo)).toHaveLength(26);
    expect(past).toEqual([{ requests: expect.any(Number), failed: expect.any(Number), notices: 3 }]);
    expect(await countPast(directory, now)).toEqual(past);
  });

  test('cleans up after a launcher that was killed, and continues with the same data', async () => {
    const orphans = start.snapshot();
    start.killLauncher();
    await start.exited;
    start = await npmStart(directory);
    await start.untilReady();
    expect(orphans()).toEqual([]);
    demo = { ...demo, baseUrl: readDemo(directory).baseUrl };
    expect(await get(demo, '/businesses/me', demo.secretKey)).toMatchObject({ status: 200 });
  });

  test('ends when a part dies, and shows the end of the log of that part', async () => {
    const stillRunning = start.snapshot();
    start.signalPart('identity-service', 'SIGKILL');
    expect(await start.exited).toMatchObject({ code: 1 });
    expect(start.output()).toContain('identity-service ended unexpectedly (SIGKILL)');
    expect(start.output()).toMatch(/The end of identity-service\.log:\n\{"level":"/);
    expect(stillRunning()).toEqual([]);
  });

  test('replaces what an interrupted start has not written to demo.json, and keeps the rest', async () => {
    const { restrictedKey, ...rest } = readDemo(directory);
    writeFileSync(join(directory, 'demo.json'), JSON.stringify(rest));
    start = await npmStart(directory);
    await start.untilReady();
    const now = readDemo(directory);
    expect(now).toMatchObject({ secretKey: rest.secretKey, expiredKey: rest.expiredKey });
    expect(now.restrictedKey).not.toBe(restrictedKey);
    expect(await get(now, '/businesses/me', now.restrictedKey)).toMatchObject({ status: 200 });
    expect(await get(now, '/businesses/me', restrictedKey)).toMatchObject({ status: 401 });
  });

  test('kills remaining processes on a second Ctrl-C', async () => {
    const stillRunning = start.snapshot();
    start.signalPart('gateway', 'SIGSTOP');
    start.ctrlC();
    await start.untilPrinted('Ctrl-C again to kill');
    // What comes within a second of the first counts as the same keystroke, since npm sends it once more.
    const pressAgain = () => {
      start.ctrlC();
      if (stillRunning().length > 0) throw new Error(`${stillRunning()} still runs`);
    };
    await expectEventually(pressAgain, { withinMs: 4_000, everyMs: 200 });
    expect(stillRunning()).toEqual([]);
  });
});

describe('npm start, when it cannot start,', () => {
  let listener: Server;
  let busyPort: number;
  beforeAll(async () => {
    busyPort = await freePort();
    listener = createServer();
    await new Promise<void>((resolve) => listener.listen(busyPort, '127.0.0.1', resolve));
  });
  afterAll(() => void listener.close());

  test('says that the port is in use, and how to take another', async () => {
    const start = await npmStart(runDirectory().newDirectory('local'), { PORT: String(busyPort) });
    expect(await start.exited).toMatchObject({ code: 1 });
    expect(start.output()).toContain(
      `Port ${busyPort} is in use: stop what listens there, or take another: PORT=8080 npm start\n`,
    );
  });

  test('says that the directory cannot be used', async () => {
    const file = join(runDirectory().newDirectory('local'), 'a-file');
    writeFileSync(file, '');
    const start = await npmStart(join(file, '.local'));
    expect(await start.exited).toMatchObject({ code: 1 });
    expect(start.output()).toMatch(/a-file\/\.local cannot be used \(ENOTDIR\): .* LOCAL_DIR\.$/m);
  });

  test('ignores the lock of a process that no longer runs', async () => {
    const directory = runDirectory().newDirectory('local');
    writeFileSync(join(directory, 'lock'), `${process.pid} another-start-time\n`);
    const start = await npmStart(directory);
    await start.untilReady();
    await endAndProveGone(start);
  });
});

describe('npm start without redis-server', () => {
  test('says that limits are counted in memory, and works', async () => {
    const directory = runDirectory().newDirectory('local');
    const start = await npmStart(directory, { PATH: pathWithout('redis-server', join(directory, 'bin')) });
    await start.untilReady();
    expect(start.output()).toContain('not on the PATH: the gateway counts in its own memory');
    expect(start.parts()).not.toContain('redis-server');
    const demo = readDemo(directory);
    expect(await get(demo, '/businesses/me', demo.secretKey)).toMatchObject({ status: 200 });
    await endAndProveGone(start);
  });
});
