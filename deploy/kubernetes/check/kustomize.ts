import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { mergeInto } from './merge.ts';
import { isMap, type Manifest, nameOf, toManifest, type Value, type ValueMap } from './values.ts';
import { parseYaml } from './yaml.ts';

/*
 * The part of kustomize that deploy/kubernetes uses; anything else in a kustomization is refused. npm has no small kustomize,
 * and a test that needs kubectl would be skipped on machines without it. `deploy/kubernetes/test.sh` runs the same checks on
 * the output of kubectl. Names of generated objects have no hash here.
 */

const generator = z.strictObject({
  name: z.string(),
  behavior: z.literal('merge').optional(),
  envs: z.array(z.string()).default([]),
  files: z.array(z.string()).default([]),
  literals: z.array(z.string()).default([]),
});

const kustomization = z.strictObject({
  apiVersion: z.enum(['kustomize.config.k8s.io/v1beta1', 'kustomize.config.k8s.io/v1alpha1']),
  kind: z.enum(['Kustomization', 'Component']),
  namespace: z.string().optional(),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  patches: z
    .array(
      z.strictObject({
        path: z.string(),
        target: z.strictObject({
          kind: z.string(),
          labelSelector: z
            .string()
            .regex(/^[^=,]+=[^=,]+$/)
            .optional(),
        }),
      }),
    )
    .default([]),
  images: z
    .array(
      z
        .strictObject({
          name: z.string(),
          newName: z.string().optional(),
          newTag: z.string().optional(),
          digest: z
            .string()
            .regex(/^sha256:[0-9a-f]{64}$/)
            .optional(),
        })
        .refine(
          ({ newTag, digest }) => (newTag === undefined) !== (digest === undefined),
          'needs a tag or a digest',
        ),
    )
    .default([]),
  configMapGenerator: z.array(generator).default([]),
  secretGenerator: z.array(generator).default([]),
});

type Kustomization = z.output<typeof kustomization>;
type Generator = z.output<typeof generator>;

/** Kinds that belong to no namespace. */
const clusterKinds = new Set(['Namespace']);

/** The objects of a folder with a kustomization. Files that a secretGenerator names need not exist. @throws for what is invalid */
export function render(directory: string): Manifest[] {
  const place = join(directory, 'kustomization.yaml');
  const parsed = kustomization.safeParse(parseYaml(readFileSync(place, 'utf8'), place)[0]);
  if (!parsed.success) throw new Error(`${place}: ${z.prettifyError(parsed.error)}`);
  const { resources, components, patches, images, namespace } = parsed.data;
  // Components may only add objects here, although kustomize would also let them change those of the overlay.
  const objects = [...resources, ...components].flatMap((path) =>
    path.endsWith('.yaml') ? readObjects(directory, path) : render(join(directory, path)),
  );
  generate(objects, directory, parsed.data);
  const patched = patches.reduce((current, patch) => applyPatch(current, directory, patch), objects);
  const names = patched.map(nameOf);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0) throw new Error(`${place}: ${repeated.join(', ')} twice`);
  return patched.map((object) => toManifest(setImages(setNamespace(object, namespace), images), place));
}

function readObjects(directory: string, path: string): Manifest[] {
  const place = join(directory, path);
  return parseYaml(readFileSync(place, 'utf8'), place).map((value) => toManifest(value, place));
}

function generate(
  objects: Manifest[],
  directory: string,
  { configMapGenerator, secretGenerator }: Kustomization,
): void {
  const kinds = [
    ['ConfigMap', configMapGenerator],
    ['Secret', secretGenerator],
  ] as const;
  for (const [kind, generators] of kinds) {
    for (const each of generators) {
      const data = dataOf(each, directory);
      const index = objects.findIndex((object) => object.kind === kind && object.metadata.name === each.name);
      const existing = objects[index];
      if ((existing === undefined) === (each.behavior === 'merge')) {
        throw new Error(
          `${directory}: ${kind} ${each.name} ${existing ? 'exists already' : 'has nothing to merge into'}`,
        );
      }
      if (existing === undefined)
        objects.push({ apiVersion: 'v1', kind, metadata: { name: each.name }, data });
      else objects[index] = { ...existing, data: { ...(isMap(existing.data) && existing.data), ...data } };
    }
  }
}

function dataOf({ envs, files, literals }: Generator, directory: string): ValueMap {
  const lines = envs.flatMap((path) => readFileSync(join(directory, path), 'utf8').split('\n'));
  const pairs = [...lines.filter((line) => !/^\s*(#|$)/.test(line)), ...literals].map((line) => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(line) ?? [];
    if (name === '') throw new Error(`${directory}: ${line} is no NAME=value`);
    return [name, value] as const;
  });
  const contents = files.map(
    (file) => [file.includes('=') ? file.replace(/=.*/, '') : file.replace(/.*\//, ''), ''] as const,
  );
  const all = [...pairs, ...contents];
  const data = Object.fromEntries(all);
  if (Object.keys(data).length !== all.length) throw new Error(`${directory}: a key is given twice`);
  return data;
}

function applyPatch(
  objects: Manifest[],
  directory: string,
  { path, target }: Kustomization['patches'][number],
): Manifest[] {
  const [patch] = readObjects(directory, path);
  if (patch === undefined) throw new Error(`${join(directory, path)} is empty`);
  // The patch gets kind and name of its target.
  const { apiVersion: _version, kind: _kind, ...named } = patch;
  const { name: _name, ...metadata } = patch.metadata;
  const change = { ...named, metadata };
  const [label = '', value = ''] = target.labelSelector?.split('=') ?? [];
  const matches = ({ kind, metadata: { labels } }: Manifest) =>
    kind === target.kind && (label === '' || (isMap(labels) && labels[label] === value));
  if (!objects.some(matches)) throw new Error(`${join(directory, path)} changes nothing`);
  return objects.map((object) => (matches(object) ? toManifest(mergeInto(object, change), path) : object));
}

function setNamespace(object: Manifest, namespace: string | undefined): Manifest {
  if (namespace === undefined || clusterKinds.has(object.kind)) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

function setImages(value: Value, images: Kustomization['images']): Value {
  if (Array.isArray(value)) return value.map((entry) => setImages(entry, images));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const image = images.find((candidate) => name === 'image' && candidate.name === child);
      if (image === undefined) return [name, setImages(child, images)];
      const { newName = image.name, newTag, digest } = image;
      return [name, digest === undefined ? `${newName}:${newTag}` : `${newName}@${digest}`];
    }),
  );
}
