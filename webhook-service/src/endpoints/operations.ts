import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import {
  createEndpointSecrets,
  currentSecret,
  type EndpointSecrets,
  findSecrets,
  openSecrets,
  publicKeys,
  rotateSecret as rotate,
  sealSecrets,
} from '../signing/rotation.ts';
import { publicKeyOf } from '../signing/secret.ts';
import type { Instant } from '../values.ts';
import { type Endpoint, type EndpointSettings, endpointNotFound, type Owner } from './endpoint.ts';
import type { EndpointStore } from './store.ts';

export interface EndpointDeps {
  readonly endpoints: EndpointStore;
  readonly deliveries: { countRecoverable(endpointId: string): Promise<number> };
  readonly sealer: Sealer;
  /** The URL as it is stored. @throws AppError `invalid_argument` for one that may not be dialed */
  readonly checkUrl: (url: string) => string;
  readonly logger: Pick<Logger, 'warn'>;
  /** Wakes the worker after a change of the endpoint. */
  readonly wake: (endpointIds: readonly string[]) => Promise<void>;
  readonly now: () => Instant;
}

/** An endpoint of an owner. */
export interface EndpointReference {
  readonly owner: Owner;
  readonly endpointId: string;
}

type Made = Pick<Endpoint, 'madeBy'>;

/** Creates an endpoint, enabled, and resolves to it with its secret. */
export async function createEndpoint(
  deps: EndpointDeps,
  { owner, url, description, events, madeBy }: EndpointSettings & Made & { readonly owner: Owner },
): Promise<{ readonly endpoint: Endpoint; readonly secret: string }> {
  const id = randomId('whe');
  const secrets = createEndpointSecrets();
  const sealedSecrets = sealSecrets(deps.sealer, id, secrets);
  const endpoint = await deps.endpoints.create({
    id,
    owner,
    url: deps.checkUrl(url),
    description,
    events,
    madeBy,
    sealedSecrets,
  });
  return { endpoint, secret: currentSecret(secrets, 'whsec') };
}

/** @throws AppError `not_found` */
export async function getEndpoint(deps: EndpointDeps, reference: EndpointReference): Promise<Endpoint> {
  return found(await deps.endpoints.find(reference.owner, reference.endpointId));
}

/** Changes the given settings. */
export async function updateEndpoint(
  deps: EndpointDeps,
  { owner, endpointId, changes }: EndpointReference & { readonly changes: Partial<EndpointSettings & Made> },
): Promise<Endpoint> {
  const url = changes.url === undefined ? {} : { url: deps.checkUrl(changes.url) };
  const endpoint = found(await deps.endpoints.update(owner, endpointId, { ...changes, ...url }));
  await deps.wake([endpointId]);
  return endpoint;
}

/** Deletes an endpoint. Its deliveries, possibly very many, are deleted in the background. @throws AppError `not_found` */
export async function deleteEndpoint(
  { endpoints }: EndpointDeps,
  { owner, endpointId }: EndpointReference,
): Promise<void> {
  if (!(await endpoints.markDeleted(owner, endpointId))) throw endpointNotFound();
}

/**
 * Creates a new `whsec_` secret. The old one continues to sign for 24 hours unless `endsOld`. Of concurrent rotations only
 * one succeeds: any other would return a secret that never signs, or restore one that was just ended.
 * @throws AppError `conflict` when the secrets were changed concurrently
 */
export async function rotateSecret(
  deps: EndpointDeps,
  { owner, endpointId, endsOld }: EndpointReference & { readonly endsOld: boolean },
): Promise<{ readonly endpoint: Endpoint; readonly secret: string }> {
  const before = await getEndpoint(deps, { owner, endpointId });
  const secrets = rotate(secretsOf(deps, before), 'whsec', deps.now(), { endsOld });
  const sealed = sealSecrets(deps.sealer, endpointId, secrets);
  const endpoint = await deps.endpoints.replaceSecrets(before, sealed);
  if (endpoint === undefined) throw secretChanged();
  return { endpoint, secret: currentSecret(secrets, 'whsec') };
}

function secretChanged(): AppError {
  return new AppError('conflict', 'webhook_secret_changed', 'the secret was changed concurrently');
}

/** The current secret, and the key that verifies v1a signatures. */
export async function revealSecret(
  deps: EndpointDeps,
  reference: EndpointReference,
): Promise<{ readonly secret: string; readonly publicKey: string }> {
  const secrets = secretsOf(deps, await getEndpoint(deps, reference));
  return {
    secret: currentSecret(secrets, 'whsec'),
    publicKey: publicKeyOf(currentSecret(secrets, 'whsk')),
  };
}

/** Keys that verify v1a signatures of an endpoint, whatever its owner: the current one, then retired ones that still sign. */
export async function listPublicKeys(deps: EndpointDeps, endpointId: string): Promise<string[]> {
  return publicKeys(secretsOf(deps, found(await deps.endpoints.findOfAny(endpointId))), deps.now());
}

/** Enables an endpoint; resolves to it and to the number of recoverable deliveries, counted up to 100,000. */
export async function enableEndpoint(
  deps: EndpointDeps,
  { owner, endpointId }: EndpointReference,
): Promise<{ readonly endpoint: Endpoint; readonly recoverable: number }> {
  const endpoint = found(await deps.endpoints.enable(owner, endpointId));
  await deps.wake([endpointId]);
  return { endpoint, recoverable: await countRecoverable(deps, endpointId) };
}

/** Number of recoverable deliveries, or 0 on failure: the endpoint is already enabled, so an error would be wrong. */
async function countRecoverable({ deliveries, logger }: EndpointDeps, endpointId: string): Promise<number> {
  try {
    return await deliveries.countRecoverable(endpointId);
  } catch (err) {
    logger.warn({ err, endpointId }, 'recoverable deliveries not counted');
    return 0;
  }
}

/** Disables an endpoint; what is pending becomes skipped. */
export async function disableEndpoint(deps: EndpointDeps, reference: EndpointReference): Promise<Endpoint> {
  const endpoint = found(await deps.endpoints.disable(reference.owner, reference.endpointId, 'owner'));
  await deps.wake([reference.endpointId]);
  return endpoint;
}

/**
 * When the last retired secret ends; undefined when none signs or no encryption key decrypts them, so that an endpoint whose
 * key is lost can still be viewed, disabled and deleted.
 */
export function oldSecretEndsAt(
  { sealer, now: clock }: EndpointDeps,
  { id, sealedSecrets }: Endpoint,
): Instant | undefined {
  const now = clock().getTime();
  return (findSecrets(sealer, id, sealedSecrets) ?? [])
    .map(({ endsAt }) => endsAt)
    .filter((endsAt) => endsAt !== null && endsAt.getTime() > now)
    .reduce<Instant | undefined>(
      (last, end) => (end !== null && (!last || end > last) ? end : last),
      undefined,
    );
}

function secretsOf({ sealer }: EndpointDeps, { id, sealedSecrets }: Endpoint): EndpointSecrets {
  return openSecrets(sealer, id, sealedSecrets);
}

function found(endpoint: Endpoint | undefined): Endpoint {
  if (endpoint === undefined) throw endpointNotFound();
  return endpoint;
}
