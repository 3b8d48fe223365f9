// Prints what is in node_modules as a bill of materials (CycloneDX 1.5): every package with its version and licence. npm's own
// (`npm sbom`) leaves out packages that the root needs for development, too.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Packages in a node_modules folder and, recursively, in theirs. Links are skipped: they lead to our own sources. */
function packagesIn(folder: string): Package[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || entry.name.startsWith('.')) return [];
    if (entry.name.startsWith('@')) return packagesIn(path);
    const described: Package = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    return [described, ...packagesIn(join(path, 'node_modules'))];
  });
}

/** CycloneDX names a single licence, or an expression of SPDX. */
function licencesOf({ license }: Package) {
  if (license === undefined) return undefined;
  return / (OR|AND|WITH) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
}

function componentOf(found: Package) {
  const { name, version } = found;
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: licencesOf(found) };
}

const folders = [
  'node_modules',
  ...process.argv.slice(2).map((workspace) => join(workspace, 'node_modules')),
];
const byReference = new Map(
  folders
    .flatMap(packagesIn)
    .map(componentOf)
    .map((component) => [component.purl, component]),
);
const components = [...byReference.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
process.stdout.write(
  `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components }, null, 1)}\n`,
);
