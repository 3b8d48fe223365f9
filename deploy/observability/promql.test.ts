import { expect, test } from '@jest/globals';
import { labelsInExpression, metricsInExpression } from './promql.ts';

test.each<[string, string[]]>([
  ['up == 0', ['up']],
  ['sum by (service, le) (rate(a_bucket{x="and b_total"}[5m])) > 0.1e3', ['a_bucket']],
  ['a:b:rate5m > 14.4 * 0.0005 and c unless on (service) d', ['a:b:rate5m', 'c', 'd']],
  ['clamp_min(2 * max(a offset 7d), 1e9) or b', ['a', 'b']],
  ['a * on (route) group_left (upstream) max by (route, upstream) (b)', ['a', 'b']],
  ['label_replace(absent(up{job=~"g.*"} == 1), "service", "g", "", "")', ['up']],
])('%s has %j', (expression, names) => {
  expect([...metricsInExpression(expression)]).toEqual(names);
});

test.each<[string, string[]]>([
  ['up == 0', []],
  ['sum by (service, le) (rate(a_bucket{x="and b_total",y!~"z"}[5m])) > 0.1e3', ['service', 'le', 'x', 'y']],
  ['a * on (route) group_left (upstream) max without (pod) (b)', ['route', 'upstream', 'pod']],
])('%s is by the labels %j', (expression, labels) => {
  expect([...labelsInExpression(expression)]).toEqual(labels);
});
