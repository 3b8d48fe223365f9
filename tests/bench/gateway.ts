// One run, ratios side by side. Prints the results of the gateway; fails on any response that is not 2xx.
import { spawnSync } from 'node:child_process';
import { startPlatform } from '../harness/platform.ts';
import { beginRun } from '../harness/run.ts';
import type { TestService } from '../harness/service.ts';
import { type BenchPlan, type Contender, measure } from './contender.ts';
import { measureFlood } from './flood.ts';
import { canLimitCpu } from './limit-cpu.ts';
import { measureOverload } from './overload.ts';
import { pin } from './pin.ts';
import { type Script, startScript } from './script.ts';
import { resultTable, targetTable } from './table.ts';
import { floodTargetsOf, overloadTargetsOf, targetsOf } from './targets.ts';

const rounds = Number(process.env.BENCH_ROUNDS || 3);
const seconds = Number(process.env.BENCH_SECONDS || 5);

if (spawnSync(process.env.WRK || 'wrk', ['--version']).error !== undefined) {
  process.stderr.write('The bench needs wrk: install it (apt-get install wrk), or name its path in WRK.\n');
  process.exit(1);
}

const run = await beginRun();
const scripts: Script[] = [];
const start = async (path: string, ...args: readonly string[]) => {
  const script = await startScript(path, ...args);
  scripts.push(script);
  return script;
};

try {
  const upstream = await start('tests/bench/upstream.ts');
  pin('load', upstream.pid);
  pin('load', process.pid);
  const platform = await startPlatform({
    gateways: 2,
    upstreams: [`http://127.0.0.1:${upstream.port}`],
    gatewayEnv: (index) => ({ ANSWER_CACHE: index === 0 ? 'on' : 'off' }),
  });
  try {
    for (const { pid } of platform.identities) pin('load', pid);
    const key = await platform.createKey();
    const { businessId, id: apiKeyId } = key;
    const actor = { kind: 'operator', id: 'bench', clientIp: '' };
    await platform.apiKeyRpc.SetApiKeyLimit(
      { actor, businessId, apiKeyId, limit: 10_000_000 },
      { deadlineMs: 5_000 },
    );
    const plan: BenchPlan = { rounds, seconds, key: key.keyString };
    const [warm, uncached] = platform.gateways;
    const bare = await start('tests/bench/bare-proxy.ts', String(upstream.port));
    const forwardOnly = await start('gateway/bench/forward-only.ts', String(upstream.port));
    const contenders: Contender[] = [
      { name: 'upstream, direct', ...upstream, steady: true },
      { name: 'Express + http-proxy-middleware, bare', ...bare, steady: true },
      { name: 'gateway, warm', ...running(warm), steady: true },
      { name: 'gateway without authorize and admit', ...forwardOnly, steady: true },
      { name: 'gateway, cache off', ...running(uncached), steady: false },
    ];
    for (const { pid } of contenders.slice(1)) pin('measured', pid);
    const results = await measure(contenders, plan);
    process.stdout.write(`\n${resultTable(results)}\n\n${targetTable(targetsOf(results))}\n`);
  } finally {
    await platform.close();
  }
  process.stdout.write(`\n${targetTable(floodTargetsOf(await measureFlood(upstream.port)))}\n`);
  if (canLimitCpu()) {
    process.stdout.write(`\n${targetTable(overloadTargetsOf(await measureOverload(upstream.port)))}\n`);
  } else {
    process.stderr.write('Overload is not measured: that needs the right to make control groups.\n');
  }
} finally {
  for (const script of scripts) script.stop();
  await run.end();
}

function running(gateway: TestService | undefined): { port: number; pid: number } {
  if (gateway === undefined) throw new Error('the platform has two gateways');
  return { port: gateway.ports.http ?? 0, pid: gateway.pid };
}
