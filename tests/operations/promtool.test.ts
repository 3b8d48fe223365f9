import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import type { AlertCase } from '../../deploy/observability/alert-case.ts';
import { alertCases } from '../../deploy/observability/alert-cases.ts';
import { toGrafana } from '../../deploy/observability/dashboard.ts';
import { dashboards } from '../../deploy/observability/dashboards.ts';
import { type OutageCase, outageCases } from '../../deploy/observability/outage-cases.ts';
import { metricsInExpression } from '../../deploy/observability/promql.ts';
import { requirePrometheus, runPromtool } from '../../deploy/observability/promtool.ts';
import { readRules, rulesFile } from '../../deploy/observability/rules.ts';

/* All that promtool judges, in one file: where it is missing, one process installs it. */

let promtool: string;
let directory: string;
beforeAll(() => {
  promtool = requirePrometheus('promtool', process.env);
  directory = mkdtempSync(join(tmpdir(), 'platform-rules-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const { alerts, groups } = readRules();
/** Alarms after what they read: at intervals of hours, results of the round before are too old. */
const order = groups.map(({ name }) => name);
/** A case with one of its two sets of series. */
interface Trial {
  readonly of: AlertCase;
  readonly fires: boolean;
}

const seriesOfTrial = ({ of, fires }: Trial) => (fires ? of.fires : of.quiet);
const metricsOfTrial = (trial: Trial) =>
  Object.keys(seriesOfTrial(trial)).map((name) => name.replace(/\{.*/, ''));

/** Metrics of what makes other alarms quiet: their trials share a database with no other. */
const causes = new Set(
  groups.flatMap(({ name, rules }) =>
    name === 'causes' ? rules.flatMap(({ expr }) => [...metricsInExpression(expr)]) : [],
  ),
);

/** Trials of different alarms with the same interval and without a common metric share one database of promtool, which costs most of the time. */
function together(trials: readonly Trial[]): Trial[][] {
  const groups: { trials: Trial[]; every: string; metrics: Set<string> }[] = [];
  for (const trial of trials) {
    const metrics = metricsOfTrial(trial);
    const isAlone = metrics.some((metric) => causes.has(metric));
    let group = groups.find(
      (each) =>
        !isAlone &&
        ![...each.metrics].some((metric) => causes.has(metric)) &&
        each.every === trial.of.every &&
        !metrics.some((metric) => each.metrics.has(metric)) &&
        !each.trials.some(({ of }) => of.alert === trial.of.alert),
    );
    if (group === undefined) {
      group = { trials: [], every: trial.of.every, metrics: new Set() };
      groups.push(group);
    }
    group.trials.push(trial);
    for (const metric of metrics) group.metrics.add(metric);
  }
  return groups.map((group) => group.trials);
}

/** The alarms that must fire: promtool compares labels and annotations whole. */
function toAlertTest({ of: { alert, at, labels }, fires }: Trial) {
  const expected = labels.map((own) => {
    const rule = alerts.find((each) => each.alert === alert && each.labels.window === own.window);
    return {
      exp_labels: { severity: rule?.labels.severity, ...own },
      exp_annotations: rule?.annotations,
    };
  });
  return { eval_time: at, alertname: alert, ...(fires && { exp_alerts: expected }) };
}

/** Runs every trial of these cases. */
function testRules(cases: readonly AlertCase[]) {
  const trials = cases.flatMap((of) => [true, false].map((fires) => ({ of, fires })));
  const files = together(trials).map((group, index) => {
    const every = group[0]?.of.every;
    const series = group.flatMap((trial) => Object.entries(seriesOfTrial(trial)));
    const file = join(directory, `cases-${index}.yml`);
    const only = {
      interval: every,
      input_series: series.map(([name, values]) => ({ series: name, values })),
      alert_rule_test: group.map(toAlertTest),
    };
    writeFileSync(
      file,
      stringify(
        { rule_files: [rulesFile], group_eval_order: order, evaluation_interval: every, tests: [only] },
        { lineWidth: 0 },
      ),
    );
    return file;
  });
  return runPromtool(promtool, ['test', 'rules', ...files]);
}

/** Each alarm at each look of a disturbance. */
function testOutage({ series, looks }: OutageCase) {
  const names = [...new Set(alerts.map(({ alert }) => alert))];
  const tests = Object.entries(looks).flatMap(([at, expected]) =>
    names.map((alert) => {
      const labels = expected.flatMap(([name, own]) => (name === alert ? [own] : []));
      const of = { alert, every: '15s', fires: {}, quiet: {}, at, labels } as const;
      return toAlertTest({ of, fires: labels.length > 0 });
    }),
  );
  const file = join(directory, 'outage.yml');
  const only = {
    interval: '15s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: tests,
  };
  writeFileSync(
    file,
    stringify(
      { rule_files: [rulesFile], group_eval_order: order, evaluation_interval: '15s', tests: [only] },
      { lineWidth: 0 },
    ),
  );
  return runPromtool(promtool, ['test', 'rules', file]);
}

test('promtool accepts the rules', () => {
  expect(runPromtool(promtool, ['check', 'rules', rulesFile])).toMatchObject({ ok: true });
});

test('each alarm fires when it should, and is quiet when it should be', () => {
  const { ok, output } = testRules(alertCases);
  if (!ok) throw new Error(output);
});

test.each(outageCases)('$title: the consequences raise no alarms of their own', (outage) => {
  const { ok, output } = testOutage(outage);
  if (!ok) throw new Error(output);
});

test('a case with swapped expectations fails', () => {
  const [first] = alertCases;
  if (first === undefined) throw new Error('there are no cases');
  const swapped = { ...first, fires: first.quiet, quiet: first.fires };
  expect(testRules([swapped]).ok).toBe(false);
});

/** The expressions as recording rules, which promtool parses. */
function checkExpressions(exprs: readonly string[]) {
  const file = join(directory, 'rules.yml');
  const rules = exprs.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll('$__rate_interval', '1m'),
  }));
  writeFileSync(file, stringify({ groups: [{ name: 'panels', rules }] }));
  return runPromtool(promtool, ['check', 'rules', file]);
}

test('promtool parses every expression of the dashboards', () => {
  const panels = dashboards.flatMap((dashboard) => toGrafana(dashboard).panels);
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(40);
  expect(checkExpressions(expressions)).toMatchObject({ ok: true });
  expect(checkExpressions([...expressions, 'sum by (rate(up[5m]))'])).toMatchObject({ ok: false });
});
