import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dashboards } from '../../deploy/observability/dashboards.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { metricIn, metricsIn, metricsOf } from '../harness/metrics.ts';
import type { Platform } from '../harness/platform.ts';
import { startPrometheus, type TestPrometheus } from '../harness/prometheus.ts';
import type { TestService } from '../harness/service.ts';
import { sharedBehind } from '../harness/shared-platform.ts';
import { startTraceCollector, type TraceCollector } from '../harness/trace-collector.ts';

/* Exemplars: the way from a duration in Prometheus to the trace of a request. */

const path = '/v2/businesses/me';
const histogram = 'gateway_request_duration_seconds';
const within = { withinMs: 20_000 };

/** Gateways: every request is sampled, in one process and in two; none is; nothing is traced. */
const [sampling, samplingWorkers, notSampling, untraced] = [0, 1, 2, 3];

let collector: TraceCollector;
let platform: Platform;
let prometheus: TestPrometheus;
let key: string;
beforeAll(async () => {
  collector = await startTraceCollector();
  const traced = { OTLP_ENDPOINT: collector.endpoint, TRACE_SAMPLE_RATE: '1' };
  const envs = [traced, { ...traced, WORKERS: '2' }, { ...traced, TRACE_SAMPLE_RATE: '0' }, {}];
  platform = await sharedBehind({
    gateways: envs.length,
    gatewayEnv: (index) => ({ TRUSTED_PROXIES: '127.0.0.1', ...envs[index] }),
  });
  prometheus = await startPrometheus(platform);
  ({ keyString: key } = await platform.createKey());
});
afterAll(async () => {
  await prometheus?.close();
  await platform?.close();
  await collector?.close();
});

async function openMetricsOf(service: TestService | undefined): Promise<string> {
  const headers = { Accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' };
  const { text, headers: response } = await request(service?.ports.ops ?? 0, 'GET', '/metrics', { headers });
  expect(response['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  return text;
}

/** Sends a request to a gateway; resolves to its trace. */
async function send(gateway: number): Promise<string> {
  const { status, headers } = await platform.request(gateway, 'GET', path, { key });
  expect(status).toBe(200);
  return String(headers['x-request-id']).replaceAll('-', '');
}

test.each([
  ['one process', sampling],
  ['two processes', samplingWorkers],
])('a sampled request to %s leaves its trace in OpenMetrics, and not in text', async (_, gateway) => {
  const traceId = await send(gateway);
  const sample = new RegExp(
    `^${histogram}_bucket\\{.*route="${path}".*\\} \\d+ # \\{trace_id="${traceId}"\\} [\\d.e-]+ \\d+(\\.\\d+)?$`,
    'm',
  );
  await expectEventually(
    async () => expect(await openMetricsOf(platform.gateways[gateway])).toMatch(sample),
    within,
  );
  const text = await metricsOf(platform.gateways[gateway]);
  expect(metricIn(text, `${histogram}_count`, { route: path })).toBeGreaterThan(0);
  expect(text).not.toMatch(/trace_id|# EOF|[^\n]# /);
});

test.each([
  ['that is not sampled', notSampling],
  ['of a gateway without traces', untraced],
])('a request %s leaves no trace in OpenMetrics', async (_, gateway) => {
  await send(gateway);
  await expectEventually(async () => {
    const text = await openMetricsOf(platform.gateways[gateway]);
    expect(metricIn(text, `${histogram}_count`, { route: path })).toBeGreaterThan(0);
    expect(text).not.toContain('trace_id');
  }, within);
});

test.each([
  ['a gateway', () => platform.gateways[sampling]],
  ['a gateway of two processes', () => platform.gateways[samplingWorkers]],
  ['identity-service', () => platform.identities[0]],
  ['business-service', () => platform.businesses[0]],
])('%s has the same metrics and series in both formats', async (_, service) => {
  const seriesIn = (text: string) =>
    [...text.matchAll(/^(?!nodejs_active_)(\w+\{.*?\}) \S+/gm)].map(([, series]) => series).sort();
  const familiesIn = (text: string) =>
    metricsIn(text).map(
      ({ name, type }) => `${type === 'counter' ? name.replace(/_total$/, '') : name} ${type}`,
    );
  await expectEventually(async () => {
    const openMetrics = await openMetricsOf(service());
    const text = await metricsOf(service());
    expect(seriesIn(openMetrics)).toEqual(seriesIn(text));
    expect(familiesIn(openMetrics)).toEqual(familiesIn(text));
    expect(openMetrics.match(/# EOF/g)).toHaveLength(1);
    expect(openMetrics.endsWith('\n# EOF\n')).toBe(true);
  }, within);
});

describe('Prometheus', () => {
  test('reads every service, and counters keep their names', async () => {
    await expectEventually(async () => {
      const [up] = await prometheus.query('sum(up)');
      expect(up?.value[1]).toBe(String(platform.gateways.length + 3));
      expect(await prometheus.query('sum(gateway_requests_total) > 0')).toHaveLength(1);
    }, within);
  });

  test('has the trace of a request among the exemplars of each graph that shows them', async () => {
    const graphs = dashboards
      .flatMap((dashboard) => dashboard.graphs)
      .filter(({ exemplars }) => exemplars === true);
    expect(graphs.map(({ title }) => title)).toEqual(['Duration', 'p99 by route']);
    const traceId = await send(sampling);
    for (const expression of graphs.flatMap(({ lines }) => Object.keys(lines))) {
      await expectEventually(async () => {
        const found = await prometheus.exemplars(expression.replaceAll('$__rate_interval', '1m'));
        expect(found).toContainEqual({
          seriesLabels: expect.objectContaining({ __name__: `${histogram}_bucket`, route: path }),
          exemplars: expect.arrayContaining([
            expect.objectContaining({ labels: { trace_id: traceId }, value: expect.any(String) }),
          ]),
        });
      }, within);
    }
  });
});
