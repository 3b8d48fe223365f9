import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { documentedMetrics } from './documented-metrics.ts';
import { metricsInExpression, seriesOf } from './promql.ts';
import { readRules } from './rules.ts';

const datasource = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('$datasource') });

/** The part of Grafana's dashboard model (schemaVersion 39) that is used; any other field is unknown. */
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
      gridPos: z.strictObject({ x: z.number(), y: z.number(), w: z.literal(8), h: z.literal(8) }),
      fieldConfig: z.strictObject({
        defaults: z.strictObject({ unit: z.string(), min: z.literal(0) }),
        overrides: z.tuple([]),
      }),
      options: z.strictObject({
        legend: z.strictObject({ displayMode: z.literal('list'), placement: z.literal('bottom') }),
        tooltip: z.strictObject({ mode: z.literal('multi') }),
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

test('there are dashboards of the edge, identity, webhooks and capacity, each with an identifier of its own', () => {
  const uids = ['capacity', 'edge', 'identity', 'webhooks'].map((name) => `business-api-${name}`);
  expect(dashboards.map(({ uid }) => uid).sort()).toEqual(uids);
});

test.each(dashboards)('panels of $uid have places and identifiers of their own', ({ panels: own }) => {
  expect(new Set(own.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(own.length);
  expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
  expect(new Set(own.map(({ title }) => title)).size).toBe(own.length);
});

test('every metric is in docs/metrics.md', () => {
  const records = readRules().records.map(({ record }) => record);
  const known = new Set([...records, ...documentedMetrics().flatMap(seriesOf)]);
  expect(expressions.length).toBeGreaterThan(40);
  const used = expressions.flatMap((expr) => [...metricsInExpression(expr)]);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

test('labels in legends are those by which the expression is summed, or of its metric', () => {
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
