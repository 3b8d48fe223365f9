import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { TestPrometheus } from '../../../tests/harness/prometheus.ts';

const panelSchema = z.object({
  title: z.string(),
  description: z.string().default(''),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  fieldConfig: z.object({ defaults: z.object({ unit: z.string(), min: z.literal(0) }) }),
  targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })),
});

const dashboardSchema = z.object({ title: z.string(), panels: z.array(panelSchema) });

type Panel = z.infer<typeof panelSchema>;

/** A line of a panel. */
export interface Line {
  /** As the legend has it. */
  readonly name: string;
  /** Seconds since the start of the range, and a value that is a number. */
  readonly points: readonly (readonly [number, number])[];
}

/** A panel with its data. */
export interface DrawnPanel extends Panel {
  readonly lines: readonly Line[];
}

/** A dashboard with the data of its panels. */
export interface DrawnDashboard {
  /** Of its file, without `.json`. */
  readonly name: string;
  readonly title: string;
  readonly panels: readonly DrawnPanel[];
}

/** Times in seconds since 1970. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

const folder = new URL('../dashboards/', import.meta.url);

/** Stands for `$__rate_interval`, which is at least four intervals of the scraper: here that is a second. */
const rateInterval = '15s';

/** Every generated dashboard with its data. @throws AggregateError with each expression that Prometheus refuses */
export async function readDashboards(prometheus: TestPrometheus, range: Range): Promise<DrawnDashboard[]> {
  const errors: Error[] = [];
  const read = async (panel: Panel): Promise<DrawnPanel> => {
    const lines = await Promise.all(
      panel.targets.map((target) =>
        readLines(prometheus, target, range).catch((error: unknown) => {
          errors.push(new Error(`${panel.title}: ${target.expr}`, { cause: error }));
          return [];
        }),
      ),
    );
    return { ...panel, lines: lines.flat() };
  };
  const dashboards: DrawnDashboard[] = [];
  for (const file of readdirSync(folder)) {
    const { title, panels } = dashboardSchema.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
    dashboards.push({
      name: file.replace('.json', ''),
      title,
      panels: await Promise.all(panels.map(read)),
    });
  }
  if (errors.length > 0)
    throw new AggregateError(errors, 'Prometheus refuses expressions of the dashboards.');
  return dashboards;
}

async function readLines(
  prometheus: TestPrometheus,
  { expr, legendFormat }: Panel['targets'][number],
  range: Range,
): Promise<Line[]> {
  const series = await prometheus.queryRange(expr.replaceAll('$__rate_interval', rateInterval), range);
  const lines = series.map(({ metric, values }) => ({
    name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ''),
    points: values
      .map(([time, value]) => [time - range.start, Number(value)] as const)
      .filter(([, value]) => Number.isFinite(value)),
  }));
  return lines.filter(({ points }) => points.length > 0);
}
