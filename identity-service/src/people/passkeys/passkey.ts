import { isIP } from 'node:net';
import { isLoopback } from '@platform/service-kit/values/addresses.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import { z } from 'zod';

/** A passkey as its person sees it. Times are milliseconds since 1970. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Whether it is synced to other devices of the person. */
  readonly isBackedUp: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

/** A passkey with the part that verifies its signatures. */
export interface StoredPasskey {
  readonly id: string;
  readonly personId: string;
  readonly credentialId: Uint8Array<ArrayBuffer>;
  /** COSE key. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly transports: readonly string[];
}

/** Passkeys of one person. */
export const maxPasskeys = 10;

/** Lifetime of a challenge, in seconds. */
export const challengeSeconds = 300;

/** Purpose of a challenge: a signature for one purpose is refused for any other. */
export type Purpose = 'register' | 'log_in' | 'second_factor' | 'confirm';

/** Creates an identifier of a passkey. */
export function newPasskeyId(): string {
  return randomId('psk');
}

/** The side that passkeys are made for (WebAuthn section 4, Relying Party). */
export interface RelyingParty {
  /** A domain; passkeys of one domain work for no other. */
  readonly id: string;
  /** Origin of the pages that may use them. */
  readonly origin: string;
}

/**
 * The relying party of an installation; undefined if browsers do not support passkeys there. They do not for IP addresses,
 * so an installation on a loopback address uses `localhost`.
 * @param publicUrl origin of the platform
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | undefined {
  const { hostname, protocol, port } = new URL(publicUrl);
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0) return { id: hostname, origin: publicUrl };
  if (!isLoopback(publicUrl)) return undefined;
  return { id: 'localhost', origin: `${protocol}//localhost${port === '' ? '' : `:${port}`}` };
}

/** Longest part of a credential, in base64url: an attestation with its certificates. */
const maxPart = 32_000;

/** Longest id of a credential (WebAuthn section 4), in base64url. */
const maxId = 1_364;

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]+$/, 'must be base64url');

const maxTransports = 10;

const transports = z.array(z.string().regex(/^[a-z-]{1,20}$/)).max(maxTransports);

const credential = {
  id: base64url(maxId),
  rawId: base64url(maxId),
  type: z.literal('public-key'),
};

/** RegistrationResponseJSON, the part that is read. */
export const newCredential = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(maxPart),
      attestationObject: base64url(maxPart),
      transports: transports.optional(),
    }),
  })
  .describe('RegistrationResponseJSON of WebAuthn.')
  .meta({ id: 'NewCredential' });

export type NewCredential = z.output<typeof newCredential>;

/** AuthenticationResponseJSON, the part that is read. */
export const assertion = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(maxPart),
      authenticatorData: base64url(maxPart),
      signature: base64url(maxPart),
      userHandle: base64url(maxId).nullish(),
    }),
  })
  .describe('AuthenticationResponseJSON of WebAuthn.')
  .meta({ id: 'SignedChallenge' });

export type Assertion = z.output<typeof assertion>;

/** The handle by which authenticators store a person: its id, which says nothing about it. */
export function userHandleOf(personId: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(personId);
}
