import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pinned } from './pin.ts';

/** Measurements of one run of wrk. */
export interface Throughput {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const connections = 64;
const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 };

/** Loads a port as fast as it responds. @throws when any response was not 2xx, or a connection failed */
export async function runWrk(port: number, key: string, seconds: number): Promise<Throughput> {
  const wrk = process.env.WRK || 'wrk';
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency'];
  const [program, ...rest] = pinned('load', [
    wrk,
    ...args,
    '-H',
    `Authorization: Bearer ${key}`,
    `http://127.0.0.1:${port}/v2/businesses/me`,
  ]);
  const { stdout } = await promisify(execFile)(program ?? wrk, rest);
  const bad = /Non-2xx.*|Socket errors.*/.exec(stdout);
  if (bad !== null) throw new Error(`the load met errors on port ${port}: ${bad[0]}`);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    p99: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
  };
}

function milliseconds(match: RegExpExecArray | null): number {
  return Number(match?.[1]) * (units[match?.[2] ?? ''] ?? Number.NaN);
}
