// Checks what kubectl renders: kubectl kustomize deploy/kubernetes/overlays/local | node deploy/kubernetes/check/main.ts
import { readFileSync } from 'node:fs';
import { errorsOf } from './check.ts';
import { toManifest } from './values.ts';
import { parseYaml } from './yaml.ts';

const manifests = parseYaml(readFileSync(0, 'utf8'), 'stdin').map((value) => toManifest(value, 'stdin'));
const errors = errorsOf(manifests);
for (const error of errors) console.error(error);
console.log(`${manifests.length} objects, ${errors.length} errors`);
process.exitCode = manifests.length > 0 && errors.length === 0 ? 0 : 1;
