import { expect, test } from '@jest/globals';
import { Counter, createRegistry, Histogram, preferredFormat } from './metrics.ts';

/** A registry with a counter, and a histogram with an exemplar. */
function registryWithExemplar() {
  const registry = createRegistry('test', { worker: '1' });
  const requests = { name: 'requests_total', help: 'Requests, of "all" kinds.', labelNames: ['status'] };
  new Counter({ ...requests, registers: [registry] }).inc({ status: '200' });
  const duration = new Histogram<string>({
    name: 'duration_seconds',
    help: 'Durations.',
    labelNames: ['route'],
    buckets: [0.1, 1],
    enableExemplars: true,
    registers: [],
  });
  registry.registerMetric(duration);
  duration.labels('/a').observe(0.05);
  duration.observe({ labels: { route: '/a' }, value: 0.5, exemplarLabels: { trace_id: 'abc' } });
  return registry;
}

/** Samples of the metrics above, without their values; exemplars are kept. */
const samplesIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^(requests|duration)_/.test(line))
    .map((line) => line.replace(/\} \S+/, '}'));

test('both formats have the same samples, and OpenMetrics alone has exemplars', async () => {
  const registry = registryWithExemplar();
  const before = await registry.metricsIn('text');
  const openMetrics = await registry.metricsIn('openMetrics');
  const after = await registry.metricsIn('text');
  expect(samplesIn(after)).toEqual(samplesIn(before));
  expect(after).toContain('# TYPE requests_total counter\n');
  expect(after).not.toContain('abc');
  const withoutExemplar = openMetrics.replace(/ # \{trace_id="abc"\} 0\.5 [\d.]+$/m, '');
  expect(withoutExemplar).not.toContain('abc');
  expect(samplesIn(withoutExemplar)).toEqual(samplesIn(before));
  expect(openMetrics).toMatch(/^duration_seconds_bucket\{le="1",.*\} 2 # \{trace_id="abc"\} 0\.5 [\d.]+$/m);
});

test('OpenMetrics names counters without their ending, has no empty line and ends with EOF', async () => {
  const text = await registryWithExemplar().metricsIn('openMetrics');
  expect(text).toContain('# TYPE requests counter\nrequests_total{');
  expect(text).not.toMatch(/\n\n/);
  expect(text).toMatch(/\n# EOF\n$/);
});

const prometheus2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const prometheus3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

test.each([
  ['openMetrics', 'Prometheus 2', prometheus2],
  ['openMetrics', 'Prometheus 3', prometheus3],
  ['openMetrics', 'no version', 'Application/OpenMetrics-Text'],
  ['openMetrics', 'a version in quotes', 'application/openmetrics-text; version="1.0.0"'],
  ['openMetrics', 'the worst weight', 'text/plain;q=0.1, application/openmetrics-text; version=1.0.0; q=0.1'],
  ['text', 'none', undefined],
  ['text', 'an empty one', ''],
  ['text', 'a browser', 'text/html,application/xhtml+xml,*/*;q=0.8'],
  ['text', 'text first', 'text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0;q=0.5'],
  ['text', 'anything first', '*/*, application/openmetrics-text;q=0.5'],
  ['text', 'another version', 'application/openmetrics-text;version=0.0.1'],
  ['text', 'a weight of 0', 'application/openmetrics-text;version=1.0.0;q=0'],
  ['text', 'no weight', 'application/openmetrics-text;version=1.0.0;q=first'],
  ['text', 'another type', 'application/openmetrics-textual'],
])('the format is %s for an Accept of %s', (format, _, accept) => {
  expect(preferredFormat(accept)).toBe(format);
});
