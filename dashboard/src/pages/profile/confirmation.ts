import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { api, unwrap } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import type { Profile } from './profile.ts';

/** Second factor that is required besides the password: a code of the authenticator app, a passkey, or either. */
export type SecondFactorOf = 'app' | 'passkey' | 'either';

/** Second factor of a person; undefined without one. */
export function secondFactorOf({ secondFactor, passkeys }: Profile): SecondFactorOf | undefined {
  if (secondFactor) return passkeys > 0 ? 'either' : 'app';
  return passkeys > 0 ? 'passkey' : undefined;
}

/** Input of a PasswordForm. */
export interface Entered {
  readonly password: string;
  /** A code of the app, or a recovery code. Empty where none was asked for, or a passkey is used. */
  readonly code: string;
}

/** Fields by which a person confirms a change. If the second factor is a passkey, the browser asks for it. */
export async function confirmed(profile: Profile, { password, code }: Entered) {
  const asked = secondFactorOf(profile);
  if (asked === undefined) return { password };
  if (asked === 'app' || code !== '') return { password, code };
  return { password, passkey: await askPasskey() };
}

/** Asks the browser to use a passkey of the person. @throws ApiError when the person cancels */
export async function askPasskey() {
  const { options } = await unwrap(api.POST('/profile/passkeys/confirmation'));
  // The API describes options merely as an object, because browsers define its fields.
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const { id, rawId, type, response } = await fromBrowser(startAuthentication({ optionsJSON }));
  return { id, rawId, type, response };
}

type NewCredential = components['schemas']['NewCredential'];

/** Asks the browser to create a passkey. @throws ApiError if the person cancels or the authenticator already has one */
export async function makePasskey(options: Readonly<Record<string, unknown>>): Promise<NewCredential> {
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const { id, rawId, type, response } = await fromBrowser(startRegistration({ optionsJSON }));
  const { clientDataJSON, attestationObject, transports = [] } = response;
  return { id, rawId, type, response: { clientDataJSON, attestationObject, transports } };
}

/** Replaces the browser's error, which is uninformative: usually the person has cancelled or the time has passed. */
async function fromBrowser<T>(credential: Promise<T>): Promise<T> {
  try {
    return await credential;
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    const text = isKnown
      ? 'This authenticator already has a passkey for your account.'
      : 'The browser did not use a passkey. Try again.';
    throw new ApiError(400, text, {});
  }
}
