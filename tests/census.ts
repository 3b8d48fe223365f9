// `npm run census`: how large the files are, by workspace, without tests and generated code.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const places = [
  'gateway',
  'identity-service',
  'business-service',
  'service-kit',
  'protos',
  'dashboard',
  'docs-site',
  'deploy',
];

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/\/generated\/|\.test\.tsx?$/.test(file));

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

function rowOf(place: string): string[] {
  const sizes = files
    .filter((file) => place === 'all' || file.startsWith(`${place}/`))
    .map((file) => readFileSync(file, 'utf8').split('\n').length - 1)
    .toSorted((a, b) => a - b);
  const lines = sizes.reduce((sum, size) => sum + size, 0);
  const short = sizes.filter((size) => size < 40).length;
  const figures = [
    sizes.length,
    lines,
    quantile(sizes, 0.5),
    quantile(sizes, 0.9),
    sizes.at(-1) ?? 0,
    // The size of the file in which the average line stands.
    quantile(sizes, 0.5, (size) => size),
    short,
  ];
  return [place, ...figures.map(String)];
}

const head = ['', 'files', 'lines', 'median', 'p90', 'max', 'by line', 'under 40'];
for (const row of [head, ...places.map(rowOf), rowOf('all')]) {
  const [name = '', ...figures] = row;
  process.stdout.write(`${name.padEnd(18)}${figures.map((figure) => figure.padStart(10)).join('')}\n`);
}
