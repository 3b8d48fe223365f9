import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { render } from './kustomize.ts';
import { nameOf } from './values.ts';

/* What docs/operations.md has operators type for Kubernetes. */

const manual = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

test('a rollout is undone to a revision that was looked at: the last one may be that of a secret', () => {
  const undone = manual.match(/rollout undo [^`\n]+/g) ?? [];
  expect(undone).not.toEqual([]);
  expect(undone.filter((command) => !command.includes('--to-revision='))).toEqual([]);
});

test('what the commands name is in the overlays', () => {
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
