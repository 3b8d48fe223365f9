// Time from the start of a process to its first 200 at /readyz, on a platform whose other processes run:
// `npm run bench -- starts`. The figures of docs/capacity.md.
import { setTimeout as delay } from 'node:timers/promises';
import { request } from '../harness/http-request.ts';
import { startPlatform } from '../harness/platform.ts';
import { beginRun } from '../harness/run.ts';
import type { TestService } from '../harness/service.ts';
import { cpuMsOf } from './process-usage.ts';
import { spreadOf } from './spread.ts';
import { align } from './table.ts';

const rounds = 5;

const pollMs = 5;

const isReady = ({ ports }: TestService) =>
  request(ports.ops ?? 0, 'GET', '/readyz').then(
    ({ status }) => status === 200,
    () => false,
  );

/** Milliseconds of a start, by the clock and of CPU. What it compiles is in the cache since the platform's start. */
async function startOf(service: TestService): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  await service.stop();
  const startedAt = performance.now();
  const started = service.start();
  while (!(await isReady(service))) await delay(pollMs);
  const ms = performance.now() - startedAt;
  await started;
  return { ms, cpuMs: cpuMsOf(service.pid) };
}

const run = await beginRun();
const platform = await startPlatform({ webhooks: 1 });
try {
  const rows: string[][] = [];
  for (const name of ['gateways', 'identities', 'businesses', 'webhooks'] as const) {
    const [service] = platform[name];
    if (service === undefined) throw new Error(`There are no ${name}.`);
    const starts = [];
    for (let round = 0; round < rounds; round++) starts.push(await startOf(service));
    const { median, most } = spreadOf(starts.map(({ ms }) => ms));
    const cells = [median, most, spreadOf(starts.map(({ cpuMs }) => cpuMs)).median];
    rows.push([service.recipe().service, ...cells.map((value) => value.toFixed(0))]);
  }
  process.stdout.write(`${align([['', 'ms to ready, median of 5', 'worst', 'CPU ms'], ...rows])}\n`);
} finally {
  await platform.close();
  await run.end();
}
