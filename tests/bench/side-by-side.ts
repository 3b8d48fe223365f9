import { spawnSync } from 'node:child_process';
import { startPlatform } from '../harness/platform.ts';
import { beginBenchRun } from './bench-run.ts';
import { type Contender, type ContenderName, measure } from './contender.ts';
import { describeMachine } from './machine.ts';
import { pin, yieldToOthers } from './pin.ts';
import { type Script, startScript } from './script.ts';
import { resultTable, targetTable } from './table.ts';
import { targetsOf } from './targets.ts';

/** A gateway as it is, or with another environment. */
interface Variant {
  readonly name: ContenderName;
  readonly env: Readonly<Record<string, string>>;
}

/** A program that takes its port and the upstream's as arguments, and in its environment a key and the address of Redis. */
interface Other {
  readonly name: ContenderName;
  readonly path: string;
}

const rounds = Number(process.env.BENCH_ROUNDS || 5);
const seconds = Number(process.env.BENCH_SECONDS || 5);

/**
 * Milliseconds between reports of usage and requests. As often as in production, several thousand rows a second would be stored by
 * identity-service and PostgreSQL on the core of the load, of the upstream and of Redis, which measures that core.
 */
export const heldBack = '600000';

/** Names whose p99 at half load is compared. */
const steady: ReadonlySet<ContenderName> = new Set(['gateway', 'Express + http-proxy-middleware, bare']);

/**
 * Measures gateways and others side by side, and prints the results. The first variant is the gateway as it is.
 * @throws on a response that is not 2xx
 */
export async function compare(variants: readonly Variant[], others: readonly Other[]): Promise<void> {
  requireWrk();
  const run = await beginBenchRun();
  const scripts: Script[] = [];
  const start = async (...args: Parameters<typeof startScript>) => {
    const script = await startScript(...args);
    scripts.push(script);
    return script;
  };
  try {
    process.stdout.write(`${await describeMachine()}\n`);
    const upstream = await start('tests/bench/upstream.ts');
    const platform = await startPlatform({
      // Longer ones would hold each request's timer, and what it refers to, for seconds.
      strictTimes: true,
      gateways: variants.length,
      upstreams: [`http://127.0.0.1:${upstream.port}`],
      gatewayEnv: (index) => ({ REPORT_INTERVAL_MS: heldBack, ...variants[index]?.env }),
    });
    try {
      const key = await platform.createKey();
      await platform.setKeyLimit(key, 10_000_000);
      const peerEnv = { KEY: key.keyString, REDIS_URL: platform.redis?.url ?? '' };
      const contenders: Contender[] = variants.map(({ name }, index) => {
        const gateway = platform.gateways[index];
        return { name, port: gateway?.ports.http ?? 0, pid: gateway?.pid ?? 0, steady: steady.has(name) };
      });
      for (const { name, path } of others) {
        const script = await start(path, [String(upstream.port)], peerEnv);
        contenders.push({ name, ...script, steady: steady.has(name) });
      }
      for (const { pid } of contenders) pin('measured', pid);
      for (const { pid } of platform.identities) yieldToOthers(pid);
      const { results, repeated, disturbed } = await measure(contenders, {
        rounds,
        seconds,
        key: key.keyString,
      });
      process.stdout.write(`\n${resultTable(results)}\n\n${targetTable(targetsOf(results))}\n`);
      process.stdout.write(
        `\n${repeated} slices were repeated, as others used the core; ${disturbed} were disturbed each time.\n`,
      );
    } finally {
      await platform.close();
    }
  } finally {
    for (const script of scripts) script.stop();
    await run.end();
  }
}

function requireWrk(): void {
  if (spawnSync(process.env.WRK || 'wrk', ['--version']).error === undefined) return;
  process.stderr.write('The bench needs wrk: install it (apt-get install wrk), or name its path in WRK.\n');
  process.exit(1);
}
