import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pinned } from './pin.ts';

/** Measurements of one run of wrk. */
export interface Throughput {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const connections = 64;
const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 };

/** Share of responses that may be no 2xx, or late: with the time limits of production a pause of the machine is one for all. */
const maxBadShare = 0.01;

/**
 * Loads a port as fast as it responds, or with about `rate` requests a second, as each connection then pauses between two.
 * @throws when more responses than that were not 2xx, or a connection failed
 */
export async function runWrk(port: number, key: string, seconds: number, rate?: number): Promise<Throughput> {
  const wrk = process.env.WRK || 'wrk';
  const [program = wrk, ...args] = pinned('load', [
    wrk,
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    ...(rate === undefined ? [] : ['-s', fileURLToPath(new URL('wrk-pauses.lua', import.meta.url))]),
    '-H',
    `Authorization: Bearer ${key}`,
    `http://127.0.0.1:${port}/v2/businesses/me`,
  ]);
  const pauseMs = Math.round((connections * 1_000) / (rate ?? Infinity));
  const env = { ...process.env, PAUSE_MS: `${pauseMs}` };
  const { stdout } = await promisify(execFile)(program, args, { env });
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const numberOf = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0);
  const bad = numberOf(/Non-2xx or 3xx responses: (\d+)/) + numberOf(/timeout (\d+)/);
  const lost = /Socket errors: connect [1-9]|read [1-9]|write [1-9]/.test(stdout);
  if (lost || bad > requests * maxBadShare) {
    throw new Error(`the load met errors on port ${port}: ${/(Socket|Non-2xx).*/.exec(stdout)?.[0]}`);
  }
  return {
    requests,
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    p99: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
  };
}

function milliseconds(match: RegExpExecArray | null): number {
  return Number(match?.[1]) * (units[match?.[2] ?? ''] ?? Number.NaN);
}
