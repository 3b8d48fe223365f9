import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/* What docs/operations.md has operators type for Kubernetes. */

const manual = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

test('a rollout is undone to a revision that was looked at: the last one may be that of a secret', () => {
  const undone = manual.match(/rollout undo [^`\n]+/g) ?? [];
  expect(undone).not.toEqual([]);
  expect(undone.filter((command) => !command.includes('--to-revision='))).toEqual([]);
});
