// Draws pictures of the Grafana dashboards from real data into docs/pictures: npm run pictures:dashboards. Runs the platform for
// some minutes with mixed load and a few outages, lets Prometheus scrape it, and draws each panel from the generated JSON. Prints
// panels without data, and fails if Prometheus refuses an expression. npm run pictures:dashboards 60 has one minute of load.
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '../../../tests/browser/chromium.ts';
import { requireChromium } from '../../../tests/browser/require-chromium.ts';
import { failWrites } from '../../../tests/harness/fail-writes.ts';
import { publicCertificate } from '../../../tests/harness/http2-client.ts';
import { type Platform, startPlatform } from '../../../tests/harness/platform.ts';
import { startPrometheus } from '../../../tests/harness/prometheus.ts';
import { beginRun } from '../../../tests/harness/run.ts';
import { drawDashboard } from './draw.ts';
import { type MixedLoad, startMixedLoad } from './load.ts';
import { type DrawnDashboard, readDashboards } from './panels.ts';

const directory = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
const seconds = Number(process.argv[2] ?? 240);
/** Seconds of load before that, in which rates get their first values. */
const warmUp = 20;
/** Seconds between two points. */
const step = 2;
/** Bytes of a picture at most: they are in git. */
const sizeLimit = 300_000;

process.env.CHROMIUM = requireChromium(process.env);
const run = await beginRun();
try {
  await drawPictures(await recordDashboards());
} finally {
  await run.end();
}

/** Starts everything, lets it run, and resolves to what Prometheus has of it. */
async function recordDashboards(): Promise<DrawnDashboard[]> {
  await using closers = new AsyncDisposableStack();
  const often = { PURGE_INTERVAL_MS: '5000' };
  const certificate = publicCertificate();
  const platform = await startPlatform({
    gateways: 3,
    webhooks: 1,
    // The third gateway has TLS and no clients.
    gatewayEnv: (index) => (index === 2 ? certificate.env : {}),
    identityEnv: often,
    businessEnv: often,
    webhookEnv: often,
  });
  closers.defer(() => platform.close());
  const prometheus = await startPrometheus(platform);
  closers.defer(async () => void (await prometheus.close()));
  const load = await startMixedLoad(platform);
  closers.defer(() => load.stop());
  await delay(warmUp * 1000);
  const start = Math.ceil(Date.now() / 1000);
  await passMinutes(platform, load);
  return await readDashboards(prometheus, { start, end: start + seconds, step });
}

/** Waits while the load runs. Makes one part at a time fail, and recover before the next one. */
async function passMinutes(platform: Platform, load: MixedLoad): Promise<void> {
  const pass = (share: number) => delay(share * seconds * 1000);
  await pass(0.25);
  load.respondToWebhooks(500);
  await pass(0.15);
  load.respondToWebhooks(204);
  await pass(0.1);
  const business = platform.businesses[0];
  await business?.kill();
  await pass(0.03);
  await business?.start();
  await pass(0.12);
  const restoreWrites = await failWrites(platform.databases.identity, 'sessions', '53100');
  await pass(0.06);
  await restoreWrites();
  await pass(0.08);
  await platform.redis?.stop();
  await pass(0.05);
  await platform.redis?.start();
  await pass(0.16);
}

/** Writes the pictures, and prints which panels are empty. @throws when a picture is too large */
async function drawPictures(dashboards: readonly DrawnDashboard[]): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const chromium = await launchChromium();
  const page = await chromium.newPage({ viewport: { width: 1_440, height: 400 } });
  for (const dashboard of dashboards) {
    await page.setContent(drawDashboard(dashboard, seconds, step));
    const path = `${directory}dashboard-${dashboard.name}.png`;
    const picture = await page.screenshot({ fullPage: true });
    writeFileSync(path, picture);
    process.stdout.write(`${path} ${Math.round(picture.length / 1000)} kB\n`);
    for (const { title, lines } of dashboard.panels) {
      if (lines.length === 0) process.stdout.write(`  without data: ${title}\n`);
    }
    if (picture.length > sizeLimit) throw new Error(`${path} has more than ${sizeLimit} bytes`);
  }
  await chromium.close();
}
