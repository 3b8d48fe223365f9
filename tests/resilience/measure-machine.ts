import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../harness/redis.ts';
import { slownessVariable } from '../harness/slowness.ts';

/*
 * Before each test file of this folder: is the machine fast enough for time limits of production? For each file anew, since
 * what runs beside a run of many minutes comes and goes, and what the files before left behind counts as well.
 */

/** Half of the shortest limit of production, that for Redis: as much is left for the work itself. */
const longestStallMs = 25;

/** Of a process, on a machine with nothing beside it on which the limits are right. */
const usualStartMs = 30;

/** Less is chance. */
const leastFactor = 1.5;

/** Beyond it the limits would no longer be in their order: some have a maximum. */
const mostFactor = 8;

const measureMs = 1_000;

/** Does one thing over and over; resolves to the milliseconds that each took. */
async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  const endsAt = performance.now() + measureMs;
  for (let startedAt = performance.now(); startedAt < endsAt; startedAt = performance.now()) {
    await work();
    took.push(performance.now() - startedAt);
  }
  return took;
}

/** How late timers are, how long a small Redis command takes and how long a process takes to start, as a factor. */
async function measure(): Promise<number> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  await redis.ping();
  const [timers, commands, starts] = await Promise.all([
    timesOf(() => pause(5)),
    timesOf(() => redis.ping().then(() => pause(5))),
    timesOf(() => once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')),
  ]);
  redis.disconnect();
  await server.close();
  const stallMs = Math.max(...timers, ...commands) - 5;
  const factor = Math.max(
    stallMs / longestStallMs,
    (starts.sort((a, b) => a - b)[starts.length >> 1] ?? 0) / usualStartMs,
  );
  return factor < leastFactor ? 1 : Math.min(Number(factor.toFixed(1)), mostFactor);
}

const factor = await measure();
process.env[slownessVariable] = String(factor);
if (factor > 1) {
  const text = `This machine is ${factor} times too slow for time limits of production: here they are as many times longer.`;
  process.stderr.write(`${text}\n`);
}
