import { expect, test } from '@jest/globals';
import { ownDocuments } from '../harness/own-documents.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import { startUpstream } from '../harness/upstream.ts';

/*
 * Promise: replicas of identity-service with the old and the new documents of the API side by side refuse nothing that both
 * know. What only the new ones have may be refused, by the old one alone.
 */

const invoices = running(() => startUpstream((_req, res) => res.end('[]')));
const platform = running(() => {
  const API_DIR = ownDocuments(invoices.origin);
  return startPlatform({
    identities: 2,
    identityEnv: (index) => (index === 0 ? {} : { API_DIR }),
    gatewayEnv: { API_DIR },
  });
});

const keyCount = 60;
const scopes = ['business:read', 'invoices:read', 'orders:read'];

test('While replicas have the old and the new documents, no request that both know is refused.', async () => {
  const keys = await Promise.all(
    Array.from({ length: keyCount }, (_, n) =>
      platform.createKey(n % 2 === 0 ? { type: 'restricted', scopes } : {}),
    ),
  );
  const statusOf = async (path: string, key: string) =>
    (await platform.request(0, 'GET', path, { key })).status;
  const known: number[] = [];
  const added: number[] = [];
  // Each key at the same time, so that both replicas are asked, and several times, with the cache and without it.
  const use = async ({ keyString }: (typeof keys)[number]) => {
    for (let round = 0; round < 5; round++) {
      known.push(await statusOf('/v2/businesses/me', keyString), await statusOf('/v2/order', keyString));
      added.push(await statusOf('/v2/invoices', keyString));
    }
  };
  await Promise.all(keys.map(use));
  expect(known).toEqual(Array(10 * keyCount).fill(200));
  expect(new Set(added)).toEqual(new Set([200, 403]));
});
