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

test('each metric stands once, with the samples of every worker', async () => {
  expect(mergeMetrics([await metricsOf('1', 3, 1), await metricsOf('2', 4, 0)])).toBe(
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

test('one worker keeps its text, and none makes none', async () => {
  const only = await metricsOf('1', 1, 1);
  expect(mergeMetrics([only]).trim()).toBe(only.trim());
  expect(mergeMetrics([])).toBe('');
});
