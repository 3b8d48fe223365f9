import type { Redis } from 'ioredis';

const clockLine = "local time = redis.call('TIME')";

const testClockLine = "local time = redis.call('HMGET', 'test:clock', 's', 'us')";

/**
 * For tests: the script on a clock that the test sets.
 * @throws when the script does not read the clock of Redis exactly once
 */
export function onTestClock(script: string): string {
  if (script.split("redis.call('TIME')").length !== 2) throw new Error('the script must read the clock once');
  return script.replace(clockLine, testClockLine);
}

/** Sets that clock, in milliseconds. */
export async function setTestClock(redis: Redis, now: number): Promise<void> {
  await redis.hset('test:clock', { s: Math.floor(now / 1000), us: Math.floor((now % 1000) * 1000) });
}
