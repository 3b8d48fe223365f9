import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { alertCases } from './alert-cases.ts';
import { documentedMetrics } from './documented-metrics.ts';
import { metricsInExpression, seriesOf } from './promql.ts';
import { readRules } from './rules.ts';

const { alerts, records } = readRules();

test('each alarm has a case', () => {
  const tested = new Set(alertCases.map(({ alert }) => alert));
  expect([...new Set(alerts.map(({ alert }) => alert))].filter((alert) => !tested.has(alert))).toEqual([]);
});

test('every metric of the rules is in docs/metrics.md', () => {
  const known = new Set([
    'up',
    'ALERTS',
    // Of node_exporter and the kubelet.
    ...['avail', 'size'].map((name) => `node_filesystem_${name}_bytes`),
    ...['available', 'capacity'].map((name) => `kubelet_volume_stats_${name}_bytes`),
    ...records.map(({ record }) => record),
    ...documentedMetrics().flatMap(seriesOf),
  ]);
  const used = [...alerts, ...records].flatMap(({ expr }) => [...metricsInExpression(expr)]);
  expect(used.length).toBeGreaterThan(40);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const headings = [...operations.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);

test.each(alerts)('$alert names its section of docs/operations.md', ({ alert, annotations }) => {
  expect(headings).toContain(alert);
  expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
});

test('no section is about an alarm that does not exist', () => {
  const [, section = ''] = /^## Alarms$(.*?)^## /ms.exec(operations) ?? [];
  const described = [...section.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
  expect(described).toEqual([...new Set(alerts.map(({ alert }) => alert))]);
});
