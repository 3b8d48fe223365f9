import { randomBytes } from 'node:crypto';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { AuthenticatorTransport } from '@simplewebauthn/server';
import {
  type Assertion,
  challengeSeconds,
  type NewCredential,
  type RelyingParty,
  type StoredPasskey,
  userHandleOf,
} from './passkey.ts';

/** A challenge of 256 bits. */
export function newChallenge(): Buffer<ArrayBuffer> {
  return randomBytes(32);
}

const timeout = challengeSeconds * 1000;

/** Loads the library at the first use. Its 300 modules would take a tenth of the time of a start. */
const webauthn = () => import('@simplewebauthn/server');

const descriptorOf = ({ credentialId, transports }: StoredPasskey) => ({
  id: Buffer.from(credentialId).toString('base64url'),
  // Browsers ignore values that they do not know.
  transports: [...transports] as AuthenticatorTransport[],
});

interface RegistrationInput {
  readonly person: { readonly id: string; readonly email: string; readonly name: string };
  /** Passkeys of the person. An authenticator that has one of them does not create another. */
  readonly known: readonly StoredPasskey[];
  readonly challenge: Uint8Array<ArrayBuffer>;
}

/** Options for `navigator.credentials.create`: discoverable, with user verification, without attestation. */
export async function registrationOptions(
  { id }: RelyingParty,
  { person, known, challenge }: RegistrationInput,
) {
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpID: id,
    rpName: 'Business API',
    userID: userHandleOf(person.id),
    userName: person.email,
    userDisplayName: person.name,
    challenge,
    timeout,
    attestationType: 'none',
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/**
 * Options for `navigator.credentials.get`, with user verification.
 * @param allowed passkeys of the person; empty while the person is not known: the browser offers those that it has
 */
export async function assertionOptions(
  { id }: RelyingParty,
  { allowed, challenge }: { allowed: readonly StoredPasskey[]; challenge: Uint8Array<ArrayBuffer> },
) {
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: id,
    challenge,
    timeout,
    allowCredentials: allowed.map(descriptorOf),
    userVerification: 'required',
  });
}

/** Uses up a challenge. False when it cannot be used: unknown, used, expired, of another session or purpose. */
export type TakeChallenge = (challenge: Buffer<ArrayBuffer>) => Promise<boolean>;

const taking = (take: TakeChallenge) => (challenge: string) => take(Buffer.from(challenge, 'base64url'));

/** The new credential of an authenticator; undefined when its response is not valid for the relying party. */
export async function verifyRegistration(
  { id, origin }: RelyingParty,
  { response, ...credential }: NewCredential,
  take: TakeChallenge,
) {
  const { verifyRegistrationResponse } = await webauthn();
  const { transports = [], ...signed } = response;
  const verified = await orRefused(
    verifyRegistrationResponse({
      response: { ...credential, response: signed, clientExtensionResults: {} },
      expectedChallenge: taking(take),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    }),
  );
  if (verified?.registrationInfo === undefined || (await isInFrame(signed))) return undefined;
  const { credential: made, credentialBackedUp: isBackedUp } = verified.registrationInfo;
  return {
    credentialId: Buffer.from(made.id, 'base64url'),
    publicKey: Buffer.from(made.publicKey),
    signCount: made.counter,
    transports,
    isBackedUp,
  };
}

/** A counter below every real one, so that the library accepts all. `PasskeyTransaction.use` checks the stored counter. */
const noCounter = -1;

/** Counter and backup state of a valid assertion; undefined when it is not valid for the relying party and the passkey. */
export async function verifyAssertion(
  { id, origin }: RelyingParty,
  { response, ...credential }: Assertion,
  { credentialId, publicKey }: StoredPasskey,
  take: TakeChallenge,
): Promise<{ readonly signCount: number; readonly isBackedUp: boolean } | undefined> {
  const { verifyAuthenticationResponse } = await webauthn();
  const { userHandle, ...signed } = response;
  const verified = await orRefused(
    verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { ...signed, ...(userHandle && { userHandle }) },
        clientExtensionResults: {},
      },
      expectedChallenge: taking(take),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: Buffer.from(credentialId).toString('base64url'),
        publicKey,
        counter: noCounter,
      },
    }),
  );
  if (!verified?.verified || (await isInFrame(signed))) return undefined;
  const { newCounter: signCount, credentialBackedUp: isBackedUp } = verified.authenticationInfo;
  return { signCount, isBackedUp };
}

/** Whether the requesting page was in a frame of another site. Our pages never are, and the library does not check it. */
async function isInFrame({ clientDataJSON }: { readonly clientDataJSON: string }): Promise<boolean> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers');
  return decodeClientDataJSON(clientDataJSON).crossOrigin === true;
}

/** Turns errors of the library, which throws for every invalid response, into undefined. AppErrors are our own. */
async function orRefused<T>(verification: Promise<T>): Promise<T | undefined> {
  try {
    return await verification;
  } catch (error) {
    if (error instanceof AppError) throw error;
    return undefined;
  }
}
