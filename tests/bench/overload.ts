import { loadFor, startLoad } from '../harness/load.ts';
import type { LoadReport } from '../harness/load-report.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { type CpuLimit, limitCpu } from './limit-cpu.ts';

/*
 * Goodput of the cold path under three times the load that identity-service can handle. It gets a small part of a core,
 * so that it is the bottleneck, and neither the gateway nor the generator is. The load is open: requests are sent on time
 * whether or not earlier ones have a response.
 */

/** Measurements; rates are requests a second. */
export interface Overload {
  /** The highest rate of responses with 200 in time, at any load. */
  readonly peak: number;
  /** Responses with 200 in time at three times the peak. */
  readonly goodput: number;
  /** Milliseconds from the end of that load to the end of the last half second in which a twentieth got no response. */
  readonly recoveryMs: number;
  /** Share of requests with a cached credential that got 200 meanwhile. */
  readonly warmShare: number;
}

const path = '/v2/businesses/me';
const [cold, warm] = [0, 1];
/** Part of a core that identity-service gets. */
const share = 0.15;
const stepMs = 2_500;
const overloadMs = 8_000;
const settleMs = 1_000;
/** A response that takes longer does not count. */
const usefulMs = 2_000;

export async function measureOverload(upstreamPort: number): Promise<Overload> {
  const platform = await startPlatform({
    strictTimes: true,
    gateways: 2,
    upstreams: [`http://127.0.0.1:${upstreamPort}`],
    // Reports as in production: those of the tests, twelve times as often, are work for identity-service.
    gatewayEnv: (index) => ({ ANSWER_CACHE: index === cold ? 'off' : 'on', REPORT_INTERVAL_MS: '3000' }),
  });
  const limits: CpuLimit[] = [];
  try {
    const keys = await unlimitedKeys(platform, 20);
    for (const { pid } of platform.identities) limits.push(limitCpu(pid, share));
    return await measure(platform, keys);
  } finally {
    await platform.close();
    for (const limit of limits) limit.remove();
  }
}

async function measure(platform: Platform, keys: readonly string[]): Promise<Overload> {
  let sent = 0;
  const key = () => keys[sent++ % keys.length] ?? '';
  const ask = (rate: number, forMs: number) =>
    loadFor(forMs, { ports: [platform.gatewayPorts[cold] ?? 0], rate, path, key, timeoutMs: 5_000 });
  const peak = await findPeak(ask);

  const hot = startLoad({
    ports: [platform.gatewayPorts[warm] ?? 0],
    rate: 50,
    path,
    key: keys[0] ?? '',
    maxInFlight: Number.POSITIVE_INFINITY,
  });
  const overload = goodputOf(await ask(3 * peak, overloadMs), overloadMs);
  const endedAt = performance.now();
  const after = await ask(peak / 2, 8_000);
  const hotReport = await hot.stop();
  return {
    peak,
    goodput: overload,
    recoveryMs: recoveryOf(after, endedAt),
    warmShare: 1 - hotReport.failures(200).length / hotReport.records.length,
  };
}

/** Raises the rate until responses no longer keep up with it, twice in a row: once may be a hiccup of the machine. */
async function findPeak(ask: (rate: number, forMs: number) => Promise<LoadReport>): Promise<number> {
  let peak = 0;
  let behind = 0;
  for (let rate = 30; rate < 20_000 && behind < 2; rate *= 1.35) {
    const goodput = goodputOf(await ask(rate, stepMs), stepMs);
    process.stderr.write(`overload: ${rate.toFixed(0)}/s sent, ${goodput.toFixed(0)}/s succeeded\n`);
    peak = Math.max(peak, goodput);
    behind = goodput < 0.85 * rate ? behind + 1 : 0;
  }
  return peak;
}

/** Useful responses a second to requests that were sent after the settling time. */
function goodputOf({ records }: LoadReport, forMs: number): number {
  const first = Math.min(...records.map(({ startedAt }) => startedAt));
  const useful = records.filter(
    ({ status, startedAt, endedAt }) =>
      status === 200 && startedAt - first >= settleMs && endedAt - startedAt <= usefulMs,
  );
  return (useful.length * 1_000) / (forMs - settleMs);
}

function recoveryOf({ records }: LoadReport, from: number): number {
  const spanMs = 500;
  let recoveredAt = from;
  for (let at = from; records.some(({ startedAt }) => startedAt >= at); at += spanMs) {
    const span = records.filter(({ startedAt }) => startedAt >= at && startedAt < at + spanMs);
    const failed = span.filter(({ status }) => status !== 200);
    if (failed.length * 20 >= Math.max(1, span.length)) recoveredAt = at + spanMs;
  }
  return recoveredAt - from;
}

async function unlimitedKeys(platform: Platform, count: number): Promise<string[]> {
  const keys = await Promise.all(Array.from({ length: count }, () => platform.createKey()));
  for (const key of keys) await platform.setKeyLimit(key, 10_000_000);
  return keys.map(({ keyString }) => keyString);
}
