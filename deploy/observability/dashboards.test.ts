import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { documentedMetrics } from './documented-metrics.ts';
import { labelsInExpression, metricsInExpression, seriesOf } from './promql.ts';
import { readRules } from './rules.ts';

const column = z.number().int().nonnegative();
const datasource = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('$datasource') });

/** The part of Grafana's dashboard model (schemaVersion 39) that is used; any other field is unknown. Its types are in dashboard.ts. */
const model = z.strictObject({
  uid: z.string().regex(/^[a-z-]{1,40}$/),
  title: z.string(),
  tags: z.array(z.string()),
  editable: z.literal(false),
  schemaVersion: z.literal(39),
  time: z.strictObject({ from: z.string(), to: z.literal('now') }),
  refresh: z.string().regex(/^\d+s$/),
  templating: z.strictObject({
    list: z.tuple([
      z.strictObject({
        name: z.literal('datasource'),
        label: z.string(),
        type: z.literal('datasource'),
        query: z.literal('prometheus'),
      }),
    ]),
  }),
  panels: z.array(
    z.strictObject({
      id: z.number().int().positive(),
      type: z.literal('timeseries'),
      title: z.string(),
      description: z.string().optional(),
      datasource,
      gridPos: z.strictObject({ x: column, y: column, w: column.positive(), h: column.positive() }),
      fieldConfig: z.strictObject({
        defaults: z.strictObject({ unit: z.string(), min: z.literal(0) }),
        overrides: z.tuple([]),
      }),
      options: z.strictObject({
        legend: z.strictObject({
          showLegend: z.literal(true),
          displayMode: z.literal('list'),
          placement: z.literal('bottom'),
          calcs: z.tuple([]),
        }),
        tooltip: z.strictObject({ mode: z.literal('multi'), sort: z.literal('desc') }),
      }),
      targets: z
        .array(
          z.strictObject({
            refId: z.string().regex(/^[A-Z]$/),
            datasource,
            expr: z.string(),
            legendFormat: z.string(),
            exemplar: z.literal(true).optional(),
          }),
        )
        .min(1),
    }),
  ),
});

const directory = new URL('dashboards/', import.meta.url);
const dashboards = readdirSync(directory).map((file) =>
  model.parse(JSON.parse(readFileSync(new URL(file, directory), 'utf8'))),
);
const panels = dashboards.flatMap((dashboard) => dashboard.panels);
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

test('the edge, identity, webhooks and capacity each have a dashboard with a unique identifier', () => {
  const uids = ['capacity', 'edge', 'identity', 'webhooks'].map((name) => `business-api-${name}`);
  expect(dashboards.map(({ uid }) => uid).sort()).toEqual(uids);
});

test.each(dashboards)('panels of $uid have unique titles and identifiers', ({ panels: own }) => {
  expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
  expect(new Set(own.map(({ title }) => title)).size).toBe(own.length);
});

test.each(dashboards)('panels of $uid fill 24 columns from the top without overlapping', (dashboard) => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );
  const grid = Array.from({ length: cells.length }, (_, cell) => `${cell % 24} ${Math.floor(cell / 24)}`);
  expect(cells.length).toBeGreaterThan(24 * 8);
  expect(cells.toSorted()).toEqual(grid.toSorted());
});

test('queries of a panel have unique names', () => {
  const repeated = panels.filter(
    ({ targets }) => new Set(targets.map(({ refId }) => refId)).size < targets.length,
  );
  expect(repeated.map(({ title }) => title)).toEqual([]);
});

test('every metric of a dashboard is in docs/metrics.md', () => {
  const records = readRules().records.map(({ record }) => record);
  const known = new Set([...records, ...documentedMetrics().flatMap(seriesOf)]);
  expect(expressions.length).toBeGreaterThan(40);
  const used = expressions.flatMap((expr) => [...metricsInExpression(expr)]);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

test('every label of an expression belongs to one of its metrics or to every target', () => {
  const everywhere = ['instance', 'job', 'service'];
  const labelsOfMetric = (name: string) =>
    documentedMetrics().flatMap((metric) =>
      seriesOf(metric).includes(name) ? [...metric.labels, ...(name.endsWith('_bucket') ? ['le'] : [])] : [],
    );
  const unknown = expressions.flatMap((expr) => {
    const known = new Set([...everywhere, ...[...metricsInExpression(expr)].flatMap(labelsOfMetric)]);
    return [...labelsInExpression(expr)].flatMap((label) =>
      known.has(label) ? [] : [`${label} in ${expr}`],
    );
  });
  expect(unknown).toEqual([]);
});

test('every label in a legend is one by which its expression is summed, or instance or service', () => {
  const targets = panels.flatMap((panel) => panel.targets);
  const labelsOf = (expr: string) => [
    'instance',
    'service',
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */)),
  ];
  const unknown = targets.flatMap(({ expr, legendFormat }) =>
    [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].flatMap(([, label = '']) =>
      labelsOf(expr).includes(label) ? [] : [`${label} in ${expr}`],
    ),
  );
  expect(unknown).toEqual([]);
});

test('dashboards are typed against the oldest supported Grafana', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const [, promised = ''] = /for Grafana (\d+\.\d+) or later/.exec(read('README.md')) ?? [];
  const { devDependencies } = JSON.parse(read('../../package.json'));
  expect(devDependencies['@grafana/schema']).toMatch(new RegExp(`^${promised}\\.\\d+$`));
});
