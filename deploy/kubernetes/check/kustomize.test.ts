import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { render } from './kustomize.ts';
import { mergeInto } from './merge.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kustomize-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const head = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n';
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { KEY: value }\n';

/** Renders a folder of these files. */
function rendered(files: Readonly<Record<string, string>>) {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return render(directory);
}

test('resources, generators and a namespace are rendered', () => {
  const kustomization = `${head}namespace: space\nresources: [a.yaml]\nconfigMapGenerator: [{ name: b, envs: [b.env], literals: [C=d=e] }]\n`;
  expect(
    rendered({ 'kustomization.yaml': kustomization, 'a.yaml': configMap, 'b.env': '# none\nB=1\n' }),
  ).toEqual([
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'space' },
      data: { KEY: 'value' },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'b', namespace: 'space' },
      data: { B: '1', C: 'd=e' },
    },
  ]);
});

test.each<[string, Record<string, string>, string]>([
  [
    'a field that this renderer does not have',
    { 'kustomization.yaml': `${head}namePrefix: x-\n` },
    'namePrefix',
  ],
  ['a key twice', { 'kustomization.yaml': `${head}resources: []\nresources: []\n` }, 'unique'],
  [
    'an object twice',
    { 'kustomization.yaml': `${head}resources: [a.yaml, a.yaml]\n`, 'a.yaml': configMap },
    'ConfigMap a twice',
  ],
  [
    'a merge into nothing',
    { 'kustomization.yaml': `${head}configMapGenerator: [{ name: a, behavior: merge, literals: [B=1] }]\n` },
    'has nothing to merge into',
  ],
  [
    'a patch of nothing',
    {
      'kustomization.yaml': `${head}resources: [a.yaml]\npatches: [{ path: a.yaml, target: { kind: Secret } }]\n`,
      'a.yaml': configMap,
    },
    'changes nothing',
  ],
  [
    'an image without tag and digest',
    { 'kustomization.yaml': `${head}images: [{ name: a }]\n` },
    'needs a tag or a digest',
  ],
])('%s is refused', (_, files, message) => {
  expect(() => rendered(files)).toThrow(message);
});

test('a patch of any kind labels its targets, and keeps their kind and name', () => {
  const kustomization = `${head}resources: [a.yaml]\npatches: [{ path: labels.yaml, target: { kind: ConfigMap } }]\n`;
  const patch = 'apiVersion: v2\nkind: any\nmetadata: { name: any, labels: { b: c } }\n';
  const files = { 'kustomization.yaml': kustomization, 'a.yaml': configMap, 'labels.yaml': patch };
  expect(rendered(files)).toEqual([
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', labels: { b: 'c' } },
      data: { KEY: 'value' },
    },
  ]);
});

test('a patch merges containers by name, replaces other lists, and removes fields with null', () => {
  const target = { containers: [{ name: 'a', image: 'i', args: ['1'], tty: true }, { name: 'b' }] };
  const patch = { containers: [{ name: 'a', args: ['2'], tty: null }, { name: 'c' }] };
  expect(mergeInto(target, patch)).toEqual({
    containers: [{ name: 'a', image: 'i', args: ['2'] }, { name: 'b' }, { name: 'c' }],
  });
});
