import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { loadFor } from '../harness/load.ts';
import { startPlatform } from '../harness/platform.ts';
import { pin, pinned } from './pin.ts';

/*
 * Cost of a flood of guessed keys for clients with valid ones: well-formed keys that were never issued, from a thousand
 * addresses, while a few cached keys are used as before.
 */

export interface Flood {
  /** Refused guesses a second. */
  readonly guesses: number;
  /** Milliseconds, 99th percentile of the requests with cached keys: before and during the flood. */
  readonly quietP99: number;
  readonly p99: number;
  /** Share of requests with keys that were not used before that got 200 during the flood. */
  readonly coldShare: number;
}

const path = '/v2/businesses/me';
const connections = 540;
/** Milliseconds that each connection waits on average: the flood is 5,000 a second and a little more. */
const pauseMs = 95;
const floodSeconds = 14;
/** Milliseconds in which the connections of the flood are opened. */
const settleMs = 3_000;
const probe = { rate: 100, forMs: 8_000 };

export async function measureFlood(upstreamPort: number): Promise<Flood> {
  const platform = await startPlatform({
    upstreams: [`http://127.0.0.1:${upstreamPort}`],
    gatewayEnv: () => ({ TRUSTED_PROXIES: '127.0.0.0/8', REPORT_INTERVAL_MS: '3000' }),
  });
  const directory = await mkdtemp(join(tmpdir(), 'flood-'));
  const script = join(directory, 'flood.lua');
  await writeFile(script, luaScript());
  for (const { pid } of platform.gateways) pin('measured', pid);
  try {
    const keys = await Promise.all(Array.from({ length: 25 }, () => platform.createKey()));
    const [port = 0] = platform.gatewayPorts;
    let sent = 0;
    const ask = (of: typeof keys, rate: number, forMs: number) =>
      loadFor(forMs, { ports: [port], rate, path, key: () => of[sent++ % of.length]?.keyString ?? '' });
    const [warm, cold] = [keys.slice(0, 5), keys.slice(5)];
    await ask(warm, probe.rate, 2_000);
    const quiet = await ask(warm, probe.rate, probe.forMs);
    const flooded = flood(port, script);
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const during = await ask(warm, probe.rate, probe.forMs);
    const strangers = await ask(cold, cold.length, 1_000);
    return {
      guesses: await flooded,
      quietP99: quiet.latency(0.99),
      p99: during.latency(0.99),
      coldShare: 1 - strangers.failures(200).length / strangers.records.length,
    };
  } finally {
    await platform.close();
    await rm(directory, { recursive: true });
  }
}

/** Resolves to the refused requests a second. */
async function flood(port: number, script: string): Promise<number> {
  const wrk = process.env.WRK || 'wrk';
  const args = ['-t1', `-c${connections}`, `-d${floodSeconds}s`, '-s', script, `http://127.0.0.1:${port}`];
  const [program = wrk, ...rest] = pinned('load', [wrk, ...args]);
  const { stdout } = await promisify(execFile)(program, rest);
  return Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0) / floodSeconds;
}

function luaScript(): string {
  const keys = Array.from({ length: 40_000 }, () => `'${createCheckedToken('sk')}'`);
  return `
local keys = { ${keys.join(',\n')} }
local sent = 0
function delay() return math.random(0, ${2 * pauseMs}) end
function request()
  sent = sent + 1
  local from = sent % 1000
  return wrk.format('GET', '${path}', {
    ['Authorization'] = 'Bearer ' .. keys[sent % #keys + 1],
    ['X-Forwarded-For'] = '203.0.' .. math.floor(from / 250) .. '.' .. from % 250,
  })
end
`;
}
