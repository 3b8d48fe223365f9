import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const places = [
  'gateway',
  'identity-service',
  'business-service',
  'webhook-service',
  'canary',
  'service-kit',
  'protos',
  'dashboard',
  'docs-site',
  'deploy',
];

/** Lines of the files by workspace, without tests and generated code, as rows of a table. */
export function sizes(): string[][] {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !/\/(generated|testing)\/|\.test\.tsx?$/.test(file));
  const head = ['', 'files', 'lines', 'median', 'p90', 'max', 'by line', 'under 40'];
  const rowOf = (place: string, prefix = `${place}/`) => [
    place,
    ...figuresOf(files.filter((file) => file.startsWith(prefix))),
  ];
  return [head, ...places.map((place) => rowOf(place)), rowOf('all', '')];
}

function figuresOf(files: readonly string[]): string[] {
  const lines = files
    .map((file) => readFileSync(file, 'utf8').split('\n').length - 1)
    .toSorted((a, b) => a - b);
  const figures = [
    lines.length,
    lines.reduce((sum, count) => sum + count, 0),
    quantile(lines, 0.5),
    quantile(lines, 0.9),
    lines.at(-1) ?? 0,
    // The size of the file in which the average line stands.
    quantile(lines, 0.5, (size) => size),
    lines.filter((count) => count < 40).length,
  ];
  return figures.map(String);
}

/** The value under which the given share of the weight lies; `values` are sorted. */
function quantile(values: readonly number[], share: number, weightOf = (_: number) => 1): number {
  const total = values.reduce((sum, value) => sum + weightOf(value), 0);
  let passed = 0;
  for (const value of values) {
    passed += weightOf(value);
    if (passed >= total * share) return value;
  }
  return 0;
}
