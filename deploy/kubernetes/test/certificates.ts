// What the Certificates among rendered manifests ask for: kubectl kustomize FOLDER | node certificates.ts
// Prints a line for each of a service: its name, that of its Secret, and its DNS names as openssl takes them.
import { readFileSync } from 'node:fs';
import { readObjects } from '../check/objects.ts';
import { toManifest } from '../check/values.ts';
import { parseYaml } from '../check/yaml.ts';

const objects = readObjects(
  parseYaml(readFileSync(0, 'utf8'), 'stdin').map((value) => toManifest(value, 'stdin')),
);
if (!('all' in objects)) throw new Error(objects.join('\n'));
for (const { metadata, spec } of objects.ofKind('Certificate')) {
  if (spec.dnsNames === undefined) continue;
  console.log(metadata.name, spec.secretName, spec.dnsNames.map((name) => `DNS:${name}`).join());
}
