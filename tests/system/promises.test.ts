import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type AlteringProxy, startAlteringProxy } from '../harness/altering-proxy.ts';
import { connectCanaryReports, type ReportedCheck } from '../harness/canary-reports.ts';
import { codeBlocks } from '../harness/documentation-pages.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** The page of the promises and its signed document, from what a canary reports. */

const figures = {
  is_measured: z.boolean(),
  checks: z.int().optional(),
  violations: z.int().optional(),
  highest_percent_of_limit: z.int().optional(),
  timed: z.int().optional(),
  p50_ms: z.int().optional(),
  p99_ms: z.int().optional(),
  worst_ms: z.int().optional(),
};

/** Every field of the document: none has room for a business. */
const documentShape = z.strictObject({
  issuer: z.url(),
  keys: z.url(),
  generated_at: z.iso.datetime(),
  last_check_at: z.iso.datetime().nullable(),
  promises: z.array(
    z.strictObject({
      name: z.enum(['revocation', 'rolling_hour', 'refresh', 'delivery']),
      title: z.string(),
      promise: z.string(),
      measured: z.string(),
      last_30_days: z.strictObject(figures),
      days: z.array(z.strictObject({ day: z.iso.date(), ...figures })).length(30),
    }),
  ),
  violation_count: z.int(),
  violations: z.array(
    z.strictObject({
      at: z.iso.datetime(),
      promise: z.string(),
      gateway: z.string(),
      request_id: z.string(),
      what: z.string(),
    }),
  ),
});

type Day = z.output<typeof documentShape>['promises'][0]['days'][0];

const off = running(sharedPlatform);
let platform: Platform;
let reports: readonly ReturnType<typeof connectCanaryReports>[];
let proxy: AlteringProxy;
beforeAll(async () => {
  platform = await startPlatform({ identities: 2, identityEnv: { PUBLIC_PROMISES: 'on' } });
  reports = [0, 1].map((replica) => connectCanaryReports(platform, replica));
  proxy = await startAlteringProxy(() => platform.gatewayPorts[0] ?? 0);
});
afterAll(async () => {
  for (const { close } of reports) close();
  await proxy?.close();
  await platform?.close();
});

const get = (path: string) => platform.request(0, 'GET', path);
const report = (check: ReportedCheck) => reports[0]?.report(check);
const read = async () => documentShape.parse((await get('/promises.json')).json());

/** Begin of a day's row on the page. */
function rowOf({
  day,
  is_measured,
  checks,
  p50_ms: p50,
  p99_ms: p99,
  worst_ms: worst,
  ...rest
}: Day): string {
  const row = `<tr><th scope="row">${day}</th>`;
  if (!is_measured) return `${row}<td colspan=`;
  if (rest.highest_percent_of_limit !== undefined)
    return `${row}<td>${rest.violations}</td><td>${checks}</td><td>${rest.highest_percent_of_limit} %</td>`;
  const repeats = checks === rest.timed ? '' : `<td>${rest.timed}</td>`;
  return `${row}<td>${rest.violations}</td><td>${checks}</td>${repeats}<td>${p50} ms</td><td>${p99} ms</td><td>${worst} ms</td>`;
}

/** The document with the figures that were reported: a reading serves for ten seconds. */
const readWith = (isThere: (document: z.output<typeof documentShape>) => boolean) =>
  expectEventually(
    async () => {
      const document = await read();
      if (!isThere(document)) throw new Error(JSON.stringify(document));
      return document;
    },
    { withinMs: 30_000, everyMs: 500 },
  );

test('where the promises are not public, their paths respond like any unknown path', async () => {
  const [page, document, keys, unknown] = await Promise.all(
    ['/promises', '/promises.json', '/.well-known/promises-keys', '/account/nothing'].map((path) =>
      off.request(0, 'GET', path),
    ),
  );
  const facts = [page, document, keys].map((response) => [response?.status, response?.text]);
  expect(facts).toEqual(Array(3).fill([404, unknown?.text]));
  expect((await off.request(0, 'GET', '/')).text).not.toContain('/promises');
  expect((await get('/')).text).toContain('href="/promises"');
});

test('what was not measured is shown as not measured, and not as kept', async () => {
  const { promises, last_check_at, violation_count } = await read();
  expect([last_check_at, violation_count]).toEqual([null, 0]);
  for (const { last_30_days, days } of promises) {
    expect([last_30_days, ...days.map(({ day: _, ...rest }) => rest)]).toEqual(
      Array(31).fill({ is_measured: false }),
    );
  }
  const { text } = await get('/promises');
  expect(text).toContain('Nothing was measured in these days.');
  expect(text.match(/>not measured</g)).toHaveLength(4 * 31);
  expect(text).not.toMatch(/class="kept"|notice good/);
});

test('a check is counted once, however often and to whichever replica it is reported', async () => {
  const checks: ReportedCheck[] = [
    ...[3, 4, 5].map((timeMs) => ({ checkId: randomUUID(), timeMs })),
    { checkId: randomUUID(), promise: 'CHECKED_PROMISE_ROLLING_HOUR', admittedPercent: 100 },
    { checkId: randomUUID(), promise: 'CHECKED_PROMISE_REFRESH' },
    { checkId: randomUUID(), promise: 'CHECKED_PROMISE_REFRESH', timeMs: 7 },
    { checkId: randomUUID(), promise: 'CHECKED_PROMISE_DELIVERY', timeMs: 250, ageMs: 5_000 },
  ];
  await Promise.all([...reports, ...reports].flatMap((each) => checks.map((check) => each.report(check))));
  const { promises, violation_count } = await readWith(({ last_check_at }) => last_check_at !== null);
  expect(violation_count).toBe(0);
  expect(promises.map(({ name, last_30_days }) => [name, last_30_days])).toEqual([
    [
      'revocation',
      { is_measured: true, checks: 3, violations: 0, timed: 3, p50_ms: 4, p99_ms: 5, worst_ms: 5 },
    ],
    ['rolling_hour', { is_measured: true, checks: 1, violations: 0, highest_percent_of_limit: 100 }],
    ['refresh', { is_measured: true, checks: 2, violations: 0, timed: 1, p50_ms: 7, p99_ms: 7, worst_ms: 7 }],
    [
      'delivery',
      { is_measured: true, checks: 1, violations: 0, timed: 1, p50_ms: 250, p99_ms: 250, worst_ms: 250 },
    ],
  ]);
});

test('a violation appears on the page and in the document with its gateway, request and time', async () => {
  const violation = { gateway: '192.0.2.1:8080', requestId: `req-${randomUUID()}`, what: 'admitted <a> key' };
  await report({ timeMs: 900, violations: [violation] });
  await readWith(({ violation_count }) => violation_count === 1);
  // Either replica may have read before.
  await expectEventually(
    async () => {
      const [{ text }, { violations, promises }] = [await get('/promises'), await read()];
      expect(violations).toMatchObject([
        {
          promise: 'revocation',
          gateway: violation.gateway,
          request_id: violation.requestId,
          what: violation.what,
        },
      ]);
      const [found] = violations;
      expect(Date.now() - Date.parse(found?.at ?? '')).toBeLessThan(60_000);
      expect(promises[0]?.days[0]).toMatchObject({ checks: 4, violations: 1, worst_ms: 900 });
      expect(text).toContain('1 request broke a promise');
      expect(text).toContain(`gateway ${violation.gateway} admitted &lt;a&gt; key`);
      expect(text).toContain(violation.requestId);
      expect(text).toContain(found?.at ?? 'no time');
      for (const { days } of promises) for (const day of days) expect(text).toContain(rowOf(day));
    },
    { withinMs: 30_000, everyMs: 500 },
  );
});

test('a check that is malformed is refused', async () => {
  for (const wrong of [
    { checkId: 'one' },
    { ageMs: 86_400_001 },
    { promise: 'CHECKED_PROMISE_UNSPECIFIED' } as const,
    { violations: [{ gateway: '', requestId: '', what: 'x' }] },
  ]) {
    await expect(report(wrong)).rejects.toMatchObject({ kind: 'invalid_argument' });
  }
});

/** Runs the program of the guide, with the proxy in the place of the platform. */
async function runGuide(name: string): Promise<string> {
  const [program = ''] = codeBlocks((await get('/docs/promises')).text, 'js');
  expect(program).toContain(platform.publicUrl);
  const file = join(runDirectory().newDirectory('guide'), `${name}.mjs`);
  writeFileSync(file, program.replace(platform.publicUrl, `http://127.0.0.1:${proxy.port}`));
  return (await promisify(execFile)(process.execPath, [file])).stdout;
}

test('the program of the guide verifies the document, and refuses one with a changed byte', async () => {
  expect(await runGuide('verify-promises')).toContain("name: 'revocation'");
  proxy.alter(async (sent, send) => {
    const response = await send(sent);
    return { ...response, text: response.text.replace('"violation_count":1', '"violation_count":0') };
  });
  await expect(runGuide('verify-changed-promises')).rejects.toThrow('not signed by the platform');
  proxy.restore();
});
