// `npm run bench -- leaks`: the time from the report of a leaked key to its first refusal, on every gateway. Needs an idle machine;
// exits with 1 when the target is not reached.
import type { TestKey } from '../harness/api-keys.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { beginRun } from '../harness/run.ts';
import { atMost, isReached, type Target, targetTable } from './table.ts';

const posts = 120;
/** Milliseconds between two requests of a gateway with the key. */
const everyMs = 5;
/** Milliseconds for the slowest gateway, of 99 in a hundred posts. */
const limit = 250;

/** Milliseconds from `startedAt` to the end of the first refusal by a gateway. */
async function firstRefusal(platform: Platform, key: TestKey, gateway: number, startedAt: number) {
  for (;;) {
    const { status } = await platform.me(key.keyString, gateway);
    if (status !== 200) return performance.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function measure(platform: Platform, policy: string): Promise<number[]> {
  const businessId = await platform.createVerifiedBusiness(`leaks-${policy}`);
  await platform.sql('INSERT INTO leak_policies (business_id, policy) VALUES ($1, $2)', [businessId, policy]);
  const gateways = platform.gateways.map((_, gateway) => gateway);
  const times: number[] = [];
  for (let post = 0; post < posts; post++) {
    const key = await platform.createKey({ businessId });
    for (const gateway of gateways) await platform.me(key.keyString, gateway);
    const startedAt = performance.now();
    const report = { body: { strings: [key.keyString], url: 'https://example.org/' } };
    const sent = platform.request(post % gateways.length, 'POST', '/v2/leaks', report);
    const refusals = gateways.map((gateway) => firstRefusal(platform, key, gateway, startedAt));
    times.push(Math.max(...(await Promise.all(refusals))));
    await sent;
  }
  return times.sort((a, b) => a - b);
}

const quantile = (times: readonly number[], part: number) =>
  times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;

const run = await beginRun();
try {
  const platform = await startPlatform({ strictTimes: true, gateways: 2, identities: 2 });
  const targets: Target[] = [];
  for (const policy of ['delete', 'freeze']) {
    const times = await measure(platform, policy);
    const [median, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    const text = `${policy}: ms to the refusal by both gateways, median`;
    targets.push(atMost(text, median, limit), atMost(`${policy}: p99 of ${posts}`, p99, limit));
  }
  process.stdout.write(`${targetTable(targets)}\n`);
  process.exitCode = targets.every(isReached) ? 0 : 1;
  await platform.close();
} finally {
  await run.end();
}
