import { createSecret } from '../../credentials/api-keys/api-key.ts';
import { changedFields } from '../../credentials/applications/operations.ts';
import type { ReadApplication } from '../../credentials/applications/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { RaisedGeneration } from '../../platform/credential-generations.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import type { Loss } from './leftover.ts';
import {
  type DepartureTransaction,
  entryReference,
  keyReference,
  type MadeEntry,
  type NextString,
} from './leftover-store.ts';

interface EndLeftoversInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** The member who loses rights, whose membership is locked. */
  readonly memberId: string;
  readonly loss: Loss;
  /** Leftovers that stay. All others end, including those that were made after the owner saw the list. */
  readonly kept: readonly string[];
}

/**
 * Ends keys, client secrets, redirect URIs and addresses of a member. A key keeps its settings and gets a new string that is
 * shown to no person; an owner can rotate it. An application that loses the last entry of a list is refused until an owner
 * adds another one.
 */
export async function endLeftovers(
  transaction: DepartureTransaction,
  hasher: SecretHasher,
  { actor, businessId, memberId, loss, kept }: EndLeftoversInput,
): Promise<RaisedGeneration[]> {
  const { keys, entries } = await transaction.held(businessId, memberId, loss);
  const touched: { readonly businessId: number }[] = [];
  const next = keys
    .filter((key) => !kept.includes(keyReference(key)))
    .map(({ id, keyType }) => ({ id, ...createSecret(hasher, keyType).stored }));
  if (await endKeys(transaction, { actor, businessId, memberId, next })) touched.push({ businessId });
  const ending = entries.filter((entry) => !kept.includes(entryReference(entry)));
  const applicationIds = [...new Set(ending.map((entry) => entry.applicationId))];
  // Locks all applications before the first change, because reports of usage lock Grants by id over all applications.
  for (const application of await transaction.applications.lockAll(businessId, applicationIds)) {
    const ofApplication = ending.filter((entry) => entry.applicationId === application.id);
    touched.push(...(await endEntries(transaction, actor, application, ofApplication)));
  }
  // Raised last and once, because transactions of other applications lock these rows too.
  return transaction.applications.raiseGenerations(touched);
}

interface EndKeysInput {
  readonly actor: Actor;
  readonly businessId: number;
  readonly memberId: string;
  /** Stored parts of the strings that no person sees. */
  readonly next: readonly NextString[];
}

/** Ends keys in two statements, so that a large number cannot prevent the removal of a member. False if none has ended. */
async function endKeys(
  { endStrings, audits }: DepartureTransaction,
  { actor, businessId, memberId, next }: EndKeysInput,
): Promise<boolean> {
  const ended = await endStrings(businessId, memberId, next);
  await audits(
    ended.map(({ id: subjectId, name, from, to }) => {
      const details = { name, lastFour: { from, to } };
      return { actor, businessId, action: 'api_key.rotated', subjectId, details };
    }),
  );
  return ended.length > 0;
}

/** Ends entries of a locked application. Resolves to the connected businesses, whose cached authorizations no longer count. */
async function endEntries(
  { applications }: DepartureTransaction,
  actor: Actor,
  before: ReadApplication,
  ending: readonly MadeEntry[],
): Promise<readonly { readonly businessId: number }[]> {
  const { id: applicationId, businessId, name } = before;
  const ends = (kind: MadeEntry['kind'], value: string) =>
    ending.some((entry) => entry.kind === kind && entry.value === value);
  const event = { actor, businessId, subjectId: applicationId };

  const secrets = before.secrets.filter(({ id }) => ends('client_secret', id));
  await applications.removeSecrets(
    before,
    secrets.map(({ id }) => id),
  );
  for (const { id, lastFour } of secrets) {
    const details = { name, id, lastFour };
    await applications.audit({ ...event, action: 'application.secret_deleted', details });
  }

  const lists = {
    redirectUris: before.redirectUris.filter((uri) => !ends('redirect_uri', uri)),
    ipWhitelist: before.ipWhitelist.filter((address) => !ends('ip_address', address)),
    allowedOrigins: before.allowedOrigins.filter((origin) => !ends('allowed_origin', origin)),
  };
  const details = changedFields(before, { ...before, ...lists });
  if (Object.keys(details).length > 0) {
    const after = await applications.setSettings(before, lists);
    await applications.noteMakers(actor, before, after);
    await applications.audit({ ...event, action: 'application.updated', details: { name, ...details } });
  }

  const connected = await applications.lockGrants(applicationId);
  // Access tokens may have been issued to the member with one of these secrets.
  if (secrets.length > 0) await applications.revokeAccessTokens(applicationId);
  return connected;
}
