import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));
const again = mkdtempSync(join(tmpdir(), 'platform-generated-'));
afterAll(() => rmSync(again, { recursive: true, force: true }));

const generators = {
  'protos/generate.ts': ['protos/generated'],
  'deploy/database/generate.ts': ['identity-service/src/generated', 'business-service/src/generated'],
  'dashboard/generate.ts': ['dashboard/src/generated'],
  'packages/client/generate.ts': ['packages/client/src/generated'],
  'deploy/observability/generate.ts': [
    'deploy/observability/dashboards',
    'deploy/kubernetes/overlays/production/monitoring',
  ],
};

/** Contents of the files below a directory, by path. */
function contentsOf(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(paths.map((path) => [path.slice(directory.length), readFileSync(path, 'utf8')]));
}

test.each(Object.entries(generators))(
  '%s generates exactly the committed files, otherwise run npm run generate',
  (generator, directories) => {
    execFileSync(process.execPath, [join(root, generator), again], { stdio: 'pipe' });
    for (const directory of directories) {
      const made = contentsOf(join(again, directory));
      expect(made.size).toBeGreaterThan(0);
      expect(contentsOf(join(root, directory))).toEqual(made);
    }
  },
);

test('npm run generate runs every generator', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const generator of Object.keys(generators)) expect(scripts.generate).toContain(`node ${generator}`);
});
