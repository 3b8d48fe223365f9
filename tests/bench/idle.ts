// CPU and memory of a platform without a request. The gateways of tests report more often than in production.
import { setTimeout as delay } from 'node:timers/promises';
import { startPlatform } from '../harness/platform.ts';
import { beginRun } from '../harness/run.ts';
import { rssOf } from './process-usage.ts';
import { align } from './table.ts';
import { usageOf, usageSince } from './usage.ts';

const settleMs = 30_000;
const seconds = Number(process.env.BENCH_SECONDS || 60);

const run = await beginRun();
const platform = await startPlatform({ webhooks: 1, gatewayEnv: { REPORT_INTERVAL_MS: '3000' } });
try {
  const { databases } = platform;
  const services = [
    { name: 'gateway', service: platform.gateways[0] },
    { name: 'identity-service', service: platform.identities[0], database: databases.identity },
    { name: 'business-service', service: platform.businesses[0], database: databases.business },
    { name: 'webhook-service', service: platform.webhooks[0], database: databases.webhook },
  ];
  const usages = () =>
    Promise.all(
      services.map(({ service, database = databases.identity }) => service && usageOf(service, database)),
    );
  await delay(settleMs);
  const before = await usages();
  await delay(seconds * 1_000);
  const after = await usages();
  const percent = (ms: number) => (ms / seconds / 10).toFixed(2);
  const rows = services.map(({ name, service }, index) => {
    const [from, to] = [before[index], after[index]];
    if (service === undefined || from === undefined || to === undefined) throw new Error(`${name} is gone.`);
    const { cpuMs, databaseCpuMs, commits } = usageSince(from, to);
    const database =
      name === 'gateway' ? ['-', '-'] : [percent(databaseCpuMs), (commits / seconds).toFixed(1)];
    return [name, percent(cpuMs), ...database, rssOf(service.pid).toFixed(0)];
  });
  process.stdout.write(
    `${align([['', '% of a core', '% of a core, PostgreSQL', 'transactions/s', 'RSS MB'], ...rows])}\n`,
  );
} finally {
  await platform.close();
  await run.end();
}
