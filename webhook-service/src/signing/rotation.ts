import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import { after, type Instant } from '../values.ts';
import { createSecret, kindOf, publicKeyOf, type SecretKind, secretKinds } from './secret.ts';

/** A secret of an endpoint. A retired one has an end and signs beside its successor until then. */
export interface EndpointSecret {
  readonly text: string;
  readonly endsAt: Instant | null;
}

/** Secrets of an endpoint; for each kind the current one stands first. */
export type EndpointSecrets = readonly EndpointSecret[];

const hourMs = 3_600_000;

/** Milliseconds for which a retired secret continues to sign, unless it ends at once. */
export const retiredSecretMs = 24 * hourMs;

/** Maximum number of retired secrets: each adds a signature to the header, which rapid rotations must not overflow. */
const maxRetired = 3;

/** Secrets of a new endpoint: one of each kind. */
export function createEndpointSecrets(): EndpointSecrets {
  return secretKinds.map((kind) => ({ text: createSecret(kind), endsAt: null }));
}

/** Secrets that sign at `now`, as texts. */
export function activeSecrets(secrets: EndpointSecrets, now: Instant): string[] {
  return secrets.filter((secret) => isActive(secret, now)).map(({ text }) => text);
}

/**
 * Replaces the current secret of a kind. The old one signs for another 24 hours. With `endsOld`, it ends at once, as do all
 * retired secrets of that kind.
 * @throws AppError `failed_precondition` while as many retired secrets as allowed still sign
 */
export function rotateSecret(
  secrets: EndpointSecrets,
  kind: SecretKind,
  now: Instant,
  { endsOld }: { readonly endsOld: boolean },
): EndpointSecrets {
  const others = secrets.filter(({ text }) => kindOf(text) !== kind);
  const created: EndpointSecret = { text: createSecret(kind), endsAt: null };
  const old = endsOld
    ? []
    : secrets.filter((secret) => kindOf(secret.text) === kind && isActive(secret, now));
  if (old.length > maxRetired) {
    throw new AppError(
      'failed_precondition',
      'too_many_secrets',
      `${maxRetired} retired secrets still sign: wait until one has ended, or end them at once`,
    );
  }
  const retired = old.map(({ text, endsAt }) => ({ text, endsAt: endsAt ?? after(now, retiredSecretMs) }));
  return [created, ...retired, ...others];
}

/** Keys that verify the v1a signatures made at `now`, as `whpk_` texts; the current one first. */
export function publicKeys(secrets: EndpointSecrets, now: Instant): string[] {
  return activeSecrets(secrets, now)
    .filter((text) => kindOf(text) === 'whsk')
    .map(publicKeyOf);
}

/** The current secret of a kind. @throws Error for an endpoint without one */
export function currentSecret(secrets: EndpointSecrets, kind: SecretKind): string {
  const current = secrets.find(({ text, endsAt }) => endsAt === null && kindOf(text) === kind);
  if (current === undefined) throw new Error(`the endpoint has no current ${kind}_ secret`);
  return current.text;
}

const stored = z.array(z.object({ text: z.string(), endsAt: z.coerce.date().nullable() }));

/** Sealed secrets open for the same endpoint only. */
const contextOf = (endpointId: string) => `webhook_secrets:${endpointId}`;

/** The secrets of an endpoint as they are stored. */
export function sealSecrets(
  sealer: Sealer,
  endpointId: string,
  secrets: EndpointSecrets,
): Buffer<ArrayBuffer> {
  return sealer.seal(JSON.stringify(secrets), contextOf(endpointId));
}

/** The secrets of an endpoint from the store. @throws Error when no key opens them */
export function openSecrets(sealer: Sealer, endpointId: string, sealed: Uint8Array): EndpointSecrets {
  const secrets = findSecrets(sealer, endpointId, sealed);
  if (secrets === undefined) throw new Error(`no encryption key opens the secrets of ${endpointId}`);
  return secrets;
}

/** The same; undefined when no key opens them. */
export function findSecrets(
  sealer: Sealer,
  endpointId: string,
  sealed: Uint8Array,
): EndpointSecrets | undefined {
  const text = sealer.open(sealed, contextOf(endpointId));
  return text === undefined ? undefined : stored.parse(JSON.parse(text));
}

/** Encrypts stored secrets with the current key. `current`: they already are. `unopened`: no key decrypts them. */
export function resealSecrets(
  sealer: Sealer,
  endpointId: string,
  sealed: Uint8Array,
): Buffer<ArrayBuffer> | 'current' | 'unopened' {
  const context = contextOf(endpointId);
  if (sealer.isCurrent(sealed, context)) return 'current';
  const text = sealer.open(sealed, context);
  return text === undefined ? 'unopened' : sealer.seal(text, context);
}

function isActive({ endsAt }: EndpointSecret, now: Instant): boolean {
  return endsAt === null || now.getTime() < endsAt.getTime();
}
