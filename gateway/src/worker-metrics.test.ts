import { expect, test } from '@jest/globals';
import { Counter, Gauge, Registry } from 'prom-client';
import { mergeMetrics } from './worker-metrics.ts';

async function metricsOf(worker: string, requests: number, isUp: number): Promise<string> {
  const registry = new Registry();
  registry.setDefaultLabels({ worker });
  const registers = [registry];
  new Counter({ name: 'requests_total', help: 'Requests.', labelNames: ['status'], registers }).inc(
    { status: '200' },
    requests,
  );
  new Gauge({ name: 'up', help: '1 when # HELP is near.', registers }).set(isUp);
  return registry.metrics();
}

test('each metric occurs once, with the samples of every worker', async () => {
  expect(mergeMetrics([await metricsOf('1', 3, 1), await metricsOf('2', 4, 0)], 'text')).toBe(
    [
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{status="200",worker="1"} 3',
      'requests_total{status="200",worker="2"} 4',
      '',
      '# HELP up 1 when # HELP is near.',
      '# TYPE up gauge',
      'up{worker="1"} 1',
      'up{worker="2"} 0',
      '',
    ].join('\n'),
  );
});

test('OpenMetrics has no empty line and a single EOF, and exemplars stay with their samples', () => {
  const textOf = (worker: string) =>
    [
      '# HELP requests Requests.',
      '# TYPE requests counter',
      `requests_total{worker="${worker}"} 3`,
      '# HELP seconds Durations.',
      '# TYPE seconds histogram',
      `seconds_bucket{le="+Inf",worker="${worker}"} 3 # {trace_id="${worker}"} 0.5 1795477374.1`,
      '# EOF',
      '',
    ].join('\n');
  expect(mergeMetrics([textOf('1'), textOf('2')], 'openMetrics')).toBe(
    [
      '# HELP requests Requests.',
      '# TYPE requests counter',
      'requests_total{worker="1"} 3',
      'requests_total{worker="2"} 3',
      '# HELP seconds Durations.',
      '# TYPE seconds histogram',
      'seconds_bucket{le="+Inf",worker="1"} 3 # {trace_id="1"} 0.5 1795477374.1',
      'seconds_bucket{le="+Inf",worker="2"} 3 # {trace_id="2"} 0.5 1795477374.1',
      '# EOF',
      '',
    ].join('\n'),
  );
  expect(mergeMetrics([], 'openMetrics')).toBe('# EOF\n');
});

test('the text of a single worker is unchanged, and no worker results in no text', async () => {
  const only = await metricsOf('1', 1, 1);
  expect(mergeMetrics([only], 'text').trim()).toBe(only.trim());
  expect(mergeMetrics([], 'text')).toBe('');
});
