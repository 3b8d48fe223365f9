import { expect, test } from '@jest/globals';
import { createRegistry, Histogram } from '@platform/service-kit/telemetry/metrics.ts';
import { RequestDurations } from './request-durations.ts';

const name = 'gateway_request_duration_seconds';

/** Lines of the metric, without the times of exemplars. */
const linesIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.includes(name))
    .map((line) => line.replace(/( # \{.*\} \S+) [\d.]+$/, '$1'))
    .sort();

test.each(['text', 'openMetrics'] as const)('%s is what prom-client would write', async (format) => {
  const [ours, theirs] = [createRegistry('test'), createRegistry('test')];
  const durations = new RequestDurations(ours);
  const expected = new Histogram<string>({
    name,
    help: 'Time to the end of the response, by route',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    enableExemplars: true,
    registers: [],
  });
  theirs.registerMetric(expected);
  const seconds = [0, 0.001, 0.0011, 0.03, 0.25, 0.25, 9.99, 10, 10.001, 300];
  for (const [index, value] of seconds.entries()) {
    const labels = { route: index % 3 === 0 ? 'a "route"' : 'b' };
    const traceId = index % 2 === 0 ? `trace${index}` : undefined;
    durations.add(labels.route, value, traceId);
    if (traceId === undefined) expected.labels(labels).observe(value);
    else expected.observe({ labels, value, exemplarLabels: { trace_id: traceId } });
  }
  const lines = linesIn(await ours.metricsIn(format));
  expect(lines).toEqual(linesIn(await theirs.metricsIn(format)));
  expect(lines.length).toBeGreaterThan(30);
});
