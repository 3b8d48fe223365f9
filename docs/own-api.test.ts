import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readApi } from '@platform/service-kit/api/api.ts';

test('The document in the guide about own services is one that the platform reads.', () => {
  const guide = readFileSync(new URL('own-api.md', import.meta.url), 'utf8');
  const [, document = ''] = /```yaml\n(.*?)```/s.exec(guide) ?? [];
  const directory = mkdtempSync(join(tmpdir(), 'own-api-'));
  writeFileSync(join(directory, 'invoices.yaml'), document);
  const own = readApi(directory).operations.filter(({ document }) => !document.isPlatform);
  expect(own).toMatchObject([{ path: '/v2/invoices/{id}', upstream: 'invoices', scope: 'invoices:read' }]);
});
