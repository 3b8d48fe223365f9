import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { render } from './kustomize.ts';
import { nameOf } from './values.ts';

/* What docs/operations has operators type for Kubernetes. */

const manual = ['kubernetes', 'observe']
  .map((page) => readFileSync(new URL(`../../../docs/operations/${page}.md`, import.meta.url), 'utf8'))
  .join('\n');

test('every rollout undo in the guide names its revision, since the last one may only have changed a secret', () => {
  const undone = manual.match(/rollout undo [^`\n]+/g) ?? [];
  expect(undone).not.toEqual([]);
  expect(undone.filter((command) => !command.includes('--to-revision='))).toEqual([]);
});

test('every object that the commands name exists in the overlays', () => {
  const known = ['local', 'production'].map((name) =>
    render(new URL(`../overlays/${name}`, import.meta.url).pathname).map((object) =>
      nameOf(object).toLowerCase().replace(' ', '/'),
    ),
  );
  const block = manual.slice(manual.indexOf('**Restore.**'), manual.indexOf('**Drain a node.**'));
  const named = new Set(block.match(/\b(?:deployment|cronjob)\/[a-z-]+/g));
  expect([...named].sort()).toContain('cronjob/identity-restore');
  for (const names of known) expect([...named].filter((name) => !names.includes(name))).toEqual([]);
});

const generators = z.object({
  secretGenerator: z.array(z.object({ files: z.array(z.string()).default([]) })).default([]),
});

test('a file that becomes a Secret lies where git ignores it', () => {
  const blocks = [...manual.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
  const inManual = blocks.filter((text) => text.includes('secretGenerator:'));
  expect(inManual).not.toEqual([]);
  const texts = ['local', 'production'].map(
    (name) =>
      [
        name,
        readFileSync(new URL(`../overlays/${name}/kustomization.yaml`, import.meta.url), 'utf8'),
      ] as const,
  );
  // The manual's go into the overlay of the installation.
  const all = [...texts, ...inManual.map((text) => ['production', text] as const)];
  const files = all.flatMap(([name, text]) =>
    generators
      .parse(parse(text))
      .secretGenerator.flatMap((each) =>
        each.files.map((file) => `deploy/kubernetes/overlays/${name}/${file.replace(/^[^=]*=/, '')}`),
      ),
  );
  expect(files.length).toBeGreaterThan(40);
  const cwd = new URL('../../../', import.meta.url).pathname;
  const { stdout } = spawnSync('git', ['check-ignore', '--stdin'], {
    cwd,
    encoding: 'utf8',
    input: files.join('\n'),
  });
  expect(files.filter((file) => !stdout.split('\n').includes(file))).toEqual([]);
});

test('only overlays name namespaces of an installation, and the ingress namespace occurs as often as the guide says', () => {
  const folder = (path: string) => new URL(`../${path}/`, import.meta.url);
  const textsOf = (path: string) =>
    readdirSync(folder(path))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => readFileSync(new URL(name, folder(path)), 'utf8'));
  const namespaces = (path: string) =>
    textsOf(path).flatMap((text) => [...text.matchAll(/metadata\.name: ([\w-]+)/g)].map(([, name]) => name));
  expect([...new Set([...namespaces('base'), ...namespaces('components/canary')])]).toEqual(['kube-system']);
  expect(namespaces('overlays/production').filter((name) => name === 'ingress-nginx')).toHaveLength(2);
  expect(manual).toContain('the namespaces of the ingress controller (twice:');
});
