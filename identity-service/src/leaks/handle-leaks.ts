import { runEach } from '@platform/service-kit/process/run-each.ts';
import { leakReport } from '../audit/notices/notice.ts';
import type { ApiKey } from '../credentials/api-keys/api-key.ts';
import { changeKeyFreeze } from '../credentials/api-keys/freeze.ts';
import { removeKeys } from '../credentials/api-keys/operations.ts';
import { revokeLeakedTokens } from '../oauth/revocation.ts';
import type { TokenStore } from '../oauth/token-store.ts';
import type { Actor } from '../platform/actor.ts';
import { whenAvailable } from '../platform/background.ts';
import type { Propagate, RaisedGeneration } from '../platform/credential-generations.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { Candidates, Place } from './leaked-strings.ts';
import type { LeakPolicy } from './policy.ts';
import type { KnownSecret, LeakStore, LeakTransaction } from './store.ts';

export interface HandleLeaksDeps {
  readonly leaks: LeakStore;
  readonly tokens: TokenStore;
  readonly hasher: Pick<SecretHasher, 'candidates'>;
  readonly propagate: Propagate;
}

/**
 * Acts on strings that are credentials: by the policy of its business on an API key, whose owners get a notice; revokes a
 * token as its application would; notifies the owners of the application of a client secret. Of other strings nothing is kept.
 * @throws the first failure, after everything was tried, for a few seconds each while the database is unavailable
 */
export async function handleLeaks(
  deps: HandleLeaksDeps,
  { apiKeys, tokens, clientSecrets }: Candidates,
  requestId: string,
): Promise<void> {
  // Without the address of the reporter, who is a stranger to the owners.
  const actor = { kind: 'system', id: leakReport, clientIp: undefined, requestId } as const;
  await runEach([
    () => handleKeys(deps, actor, hashesOf(deps, apiKeys)),
    () => whenAvailable(() => revokeLeakedTokens(deps, actor, allOf(hashesOf(deps, tokens)))),
    () => handleSecrets(deps, actor, hashesOf(deps, clientSecrets)),
  ]);
}

/** Places by each hash, in hexadecimal, under which a string may be stored. */
type Hashes = ReadonlyMap<string, Place>;

function hashesOf({ hasher }: HandleLeaksDeps, strings: ReadonlyMap<string, Place>): Hashes {
  const entries = [...strings].flatMap(([text, place]) =>
    hasher.candidates(text).map((hash) => [hash.toString('hex'), place] as const),
  );
  return new Map(entries);
}

const allOf = (hashes: Hashes): Buffer[] => [...hashes.keys()].map((hash) => Buffer.from(hash, 'hex'));

const placeOf = (hashes: Hashes, hash: Buffer): Place =>
  hashes.get(hash.toString('hex')) ?? { url: undefined, source: undefined };

async function handleKeys(deps: HandleLeaksDeps, actor: Actor, hashes: Hashes): Promise<void> {
  if (hashes.size === 0) return;
  const { leaks, propagate } = deps;
  const found = await whenAvailable(() => leaks.findKeys(allOf(hashes)));
  const handle = async (hash: Buffer) => {
    const raised = await leaks.inTransaction((transaction) =>
      handleKey(transaction, actor, hash, placeOf(hashes, hash)),
    );
    if (raised !== undefined) await propagate([raised]);
  };
  await runEach(found.map((hash) => () => whenAvailable(() => handle(hash))));
}

/**
 * Applies the policy to a key and records the leak, once a day and whenever the key was changed. Resolves to the generation to
 * publish; undefined when it was not.
 */
async function handleKey(
  transaction: LeakTransaction,
  actor: Actor,
  hash: Buffer,
  { url, source }: Place,
): Promise<RaisedGeneration | undefined> {
  const key = await transaction.lockByHash([hash]);
  if (key === undefined || key.status === 'expired') return undefined;
  const { id, businessId, name, lastFour } = key;
  const outcome = outcomeOf(await transaction.policy(businessId), key);
  const isChange = outcome === 'frozen' || outcome === 'deleted';
  const isFirst = await transaction.isFirstOfDay(id);
  if (!isChange && !isFirst) return undefined;
  const details = { name, lastFour, place: url, source, outcome };
  await transaction.audit({ actor, businessId, action: 'api_key.leaked', subjectId: id, details });
  if (!isChange) return undefined;
  if (outcome === 'frozen') {
    const change = { actor, businessId, apiKeyId: id, reason: reasonOf({ url, source }) };
    return (await changeKeyFreeze(transaction, change)).raised;
  }
  await removeKeys(transaction, { actor, businessId, apiKeyIds: [id], cause: 'leak' });
  return { businessId, generation: await transaction.raiseGeneration(businessId) };
}

/** Characters of a URL in a reason, which has at most 500. */
const maxUrl = 300;

/** Reason of a freeze, for the page of the key. */
function reasonOf({ url, source }: Place): string {
  const reporter = source === undefined ? '' : ` by “${source}”`;
  const place =
    url === undefined ? '' : `, found at ${url.slice(0, maxUrl)}${url.length > maxUrl ? '…' : ''}`;
  return `reported as leaked${reporter}${place}`;
}

/** Outcome for a key: two are changes by the policy. */
type Outcome = 'none' | 'already_frozen' | 'frozen' | 'deleted';

function outcomeOf(policy: LeakPolicy, { freeze }: ApiKey): Outcome {
  if (policy === 'delete') return 'deleted';
  if (freeze !== undefined) return 'already_frozen';
  return policy === 'freeze' ? 'frozen' : 'none';
}

async function handleSecrets({ leaks }: HandleLeaksDeps, actor: Actor, hashes: Hashes): Promise<void> {
  if (hashes.size === 0) return;
  const found = await whenAvailable(() => leaks.findClientSecrets(allOf(hashes)));
  const record = (secret: KnownSecret) =>
    leaks.inTransaction((transaction) =>
      recordSecret(transaction, actor, secret, placeOf(hashes, secret.hash)),
    );
  await runEach(found.map((secret) => () => whenAvailable(() => record(secret))));
}

/** Records the leak of a client secret for the owners of its application, once a day. */
async function recordSecret(
  transaction: LeakTransaction,
  actor: Actor,
  { id, applicationId: subjectId, businessId, name, lastFour }: KnownSecret,
  { url, source }: Place,
): Promise<void> {
  if (!(await transaction.isFirstOfDay(id))) return;
  const details = { name, lastFour, place: url, source };
  await transaction.audit({ actor, businessId, action: 'application.secret_leaked', subjectId, details });
}
