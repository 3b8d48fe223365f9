// One run, ratios side by side. Prints the results of the gateway; fails on any response that is not 2xx.
import { spawnSync } from 'node:child_process';
import { startPlatform } from '../harness/platform.ts';
import { beginRun } from '../harness/run.ts';
import type { TestService } from '../harness/service.ts';
import { startTraceCollector } from '../harness/trace-collector.ts';
import { type BenchPlan, type Contender, measure } from './contender.ts';
import { measureFlood } from './flood.ts';
import { canLimitCpu } from './limit-cpu.ts';
import { measureOverload } from './overload.ts';
import { installPeers, peers } from './peers.ts';
import { pin } from './pin.ts';
import { type Script, startScript } from './script.ts';
import { resultTable, targetTable } from './table.ts';
import { floodTargetsOf, overloadTargetsOf, targetsOf } from './targets.ts';

const rounds = Number(process.env.BENCH_ROUNDS || 5);
const seconds = Number(process.env.BENCH_SECONDS || 10);

const collector = await startTraceCollector();

/** The gateway, the gateway without a part of it, and with one that is off where it is not asked for. */
const variants = [
  { name: 'gateway', env: {} },
  { name: 'gateway without the line of a request', env: { LOG_LEVEL: 'warn' } },
  { name: 'gateway, cache off', env: { ANSWER_CACHE: 'off' } },
  {
    name: 'gateway with traces of 1 %',
    env: { OTLP_ENDPOINT: collector.endpoint, TRACE_SAMPLE_RATE: '0.01' },
  },
] as const;

if (spawnSync(process.env.WRK || 'wrk', ['--version']).error !== undefined) {
  process.stderr.write('The bench needs wrk: install it (apt-get install wrk), or name its path in WRK.\n');
  process.exit(1);
}

const run = await beginRun();
const scripts: Script[] = [];
const start = async (...args: Parameters<typeof startScript>) => {
  const script = await startScript(...args);
  scripts.push(script);
  return script;
};

try {
  const upstream = await start('tests/bench/upstream.ts');
  pin('load', upstream.pid);
  pin('load', process.pid);
  const platform = await startPlatform({
    // Longer ones would hold each request's timer, and what it refers to, for seconds.
    strictTimes: true,
    gateways: variants.length,
    upstreams: [`http://127.0.0.1:${upstream.port}`],
    // Tests report more often than production.
    gatewayEnv: (index) => ({ REPORT_INTERVAL_MS: '3000', ...variants[index]?.env }),
  });
  try {
    for (const { pid } of platform.identities) pin('load', pid);
    const key = await platform.createKey();
    await platform.setKeyLimit(key, 10_000_000);
    const plan: BenchPlan = { rounds, seconds, key: key.keyString };
    const upstreamPort = String(upstream.port);
    const bare = await start('tests/bench/bare-proxy.ts', [upstreamPort]);
    const forwardOnly = await start('gateway/bench/forward-only.ts', [upstreamPort]);
    const peerEnv = { KEY: key.keyString, REDIS_URL: platform.redis?.url ?? '' };
    const measured: Contender[] = [
      { name: 'Express + http-proxy-middleware, bare', ...bare, steady: true },
      ...platform.gateways.map((gateway, index) => contenderOf(gateway, index)),
      { name: 'gateway without authorize and admit', ...forwardOnly, steady: false },
    ];
    for (const { name, path } of installPeers() ? peers : []) {
      measured.push({ name, ...(await start(path, [upstreamPort], peerEnv)), steady: false });
    }
    for (const { pid } of measured) pin('measured', pid);
    const contenders: Contender[] = [{ name: 'upstream, direct', ...upstream, steady: true }, ...measured];
    const results = await measure(contenders, plan);
    process.stdout.write(`\n${resultTable(results)}\n\n${targetTable(targetsOf(results))}\n`);
  } finally {
    // What is measured next has the cores to itself, but for the upstream.
    for (const script of scripts.splice(1)) script.stop();
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
  await collector.close();
  await run.end();
}

function contenderOf(gateway: TestService, index: number): Contender {
  const { name } = variants[index] ?? variants[0];
  return { name, port: gateway.ports.http ?? 0, pid: gateway.pid, steady: index === 0 };
}
