import { readdirSync, readFileSync } from 'node:fs';
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

const pages = new URL('../../docs/operations/alarms/', import.meta.url);
/** Page of each alarm that has a section. */
const pageOf = new Map(
  readdirSync(pages).flatMap((page) =>
    [...readFileSync(new URL(page, pages), 'utf8').matchAll(/^## (\w+)$/gm)].map(([, name = '']) => [
      name,
      page,
    ]),
  ),
);

test.each(alerts)('$alert names its section of docs/operations/alarms', ({ alert, annotations }) => {
  expect(annotations.runbook).toBe(`docs/operations/alarms/${pageOf.get(alert)}#${alert.toLowerCase()}`);
});

test('no section is about an alarm that does not exist', () => {
  const described = [...pageOf.keys()].toSorted();
  expect(described).toEqual([...new Set(alerts.map(({ alert }) => alert))].toSorted());
});
