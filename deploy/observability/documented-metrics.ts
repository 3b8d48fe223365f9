import { readFileSync } from 'node:fs';

/** A row of docs/metrics.md. */
interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  /** First letters of the services that export it: `g`, `i`, `b`, `w`, `c`. */
  readonly of: readonly string[];
}

const page = new URL('../../docs/metrics.md', import.meta.url);

const row = /^\| `(\w+)` \| (counter|gauge|histogram) \| ([\w, ]*)\| ([gibwc ]+) \| .+ \|$/gm;

/** Every metric that docs/metrics.md describes. */
export function documentedMetrics(): readonly DocumentedMetric[] {
  return [...readFileSync(page, 'utf8').matchAll(row)].map(
    ([, name = '', type = '', labels = '', of = '']) => ({
      name,
      type,
      labels: labels.split(',').flatMap((label) => (label.trim() === '' ? [] : [label.trim()])),
      of: of.split(' '),
    }),
  );
}
