// `npm run census`: sizes of the files by workspace, without tests and generated code; how many files a request passes, and
// how many a change touches, as docs/architecture.md and CONTRIBUTING.md list them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/\/(generated|testing)\/|\.test\.tsx?$/.test(file));

/** Folders that the documents leave out of a path, since its section or line names them. */
const roots = [
  '',
  'gateway/src',
  'gateway/src/forwarding',
  'gateway/src/edge',
  'identity-service/src',
  'identity-service/src/credentials/authorization',
  'business-service/src',
];

/**
 * Source files that a section of a document names in backticks.
 * @throws when one does not exist, or the section is missing
 */
function filesIn(document: string, heading: string): number {
  const [, section] = readFileSync(document, 'utf8').split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`${document} has no section ${heading}`);
  const [body = ''] = section.split('\n## ');
  const names = [...body.matchAll(/`([\w./-]+\.(?:ts|tsx|lua|proto|prisma)|[\w./-]+\/migrations\/)`/g)];
  const paths = new Set(names.map(([, name = '']) => name));
  for (const path of paths) {
    if (!roots.some((root) => existsSync(join(root, path))))
      throw new Error(`${document}: ${path} does not exist`);
  }
  return paths.size;
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

const acts: readonly (readonly [act: string, files: number])[] = [
  ['GET /v2/order', filesIn('docs/architecture.md', '`GET /v2/order`, from the socket to the row')],
  ['a refresh', filesIn('docs/architecture.md', '`POST /v2/oauth/token` with a refresh token')],
  ['a setting of apps', filesIn('CONTRIBUTING.md', 'Add a setting of applications')],
  ['a setting of keys', filesIn('CONTRIBUTING.md', 'Add a setting of API keys')],
  ['a scope', filesIn('CONTRIBUTING.md', 'Add a scope')],
  // Outside its own folder.
  ['a resource', filesIn('CONTRIBUTING.md', 'Add a resource')],
];
process.stdout.write('\nFiles to open or change\n');
for (const [act, count] of acts) process.stdout.write(`${act.padEnd(18)}${String(count).padStart(10)}\n`);
