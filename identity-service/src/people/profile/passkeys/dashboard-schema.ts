import { z } from 'zod';
import { instant, instantOrNull } from '../../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../../web/dashboard-api/spec.ts';
import { newCredential } from '../../passkeys/passkey.ts';
import { confirmation } from '../dashboard-schema.ts';

const options = z.record(z.string(), z.unknown());

const name = z.string().describe('One line of at most 50 characters.');

const passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    isBackedUp: z.boolean().describe('Whether it is synced to other devices.'),
    createdAt: instant,
    lastUsedAt: instantOrNull,
  })
  .meta({ id: 'Passkey' });

export const listPasskeys = declare({
  id: 'listPasskeys',
  method: 'GET',
  path: '/profile/passkeys',
  summary: 'Passkeys of the person, oldest first.',
  query: none,
  body: noBody,
  response: z.object({
    origin: z
      .string()
      .nullable()
      .describe('Origin of the pages that can use them; null where browsers have none, at an IP address.'),
    passkeys: z.array(passkey),
  }),
});

export const beginPasskey = declare({
  id: 'beginPasskey',
  method: 'POST',
  path: '/profile/passkeys/options',
  summary: 'Begins to add a passkey: options for the browser, for five minutes.',
  query: none,
  body: z.strictObject(confirmation),
  response: z.object({ options: options.describe('PublicKeyCredentialCreationOptionsJSON of WebAuthn.') }),
});

export const addPasskey = declare({
  id: 'addPasskey',
  method: 'POST',
  path: '/profile/passkeys',
  summary: 'Adds the passkey that the browser has made.',
  query: none,
  body: z.strictObject({ name, credential: newCredential }),
  status: 201,
  response: z.object({
    id: z.string(),
    recoveryCodes: z
      .array(z.string())
      .describe(
        'With the first second factor of the account, otherwise empty. Returned only in this response.',
      ),
  }),
});

export const renamePasskey = declare({
  id: 'renamePasskey',
  method: 'PATCH',
  path: '/profile/passkeys/{passkeyId}',
  summary: 'Gives a passkey another name.',
  query: none,
  body: z.strictObject({ name }),
  status: 204,
  response: noBody,
});

export const removePasskey = declare({
  id: 'removePasskey',
  method: 'DELETE',
  path: '/profile/passkeys/{passkeyId}',
  summary: 'Removes a passkey, and ends the sessions that began with it.',
  query: none,
  body: z.strictObject(confirmation),
  status: 204,
  response: noBody,
});

export const beginConfirmation = declare({
  id: 'beginConfirmation',
  method: 'POST',
  path: '/profile/passkeys/confirmation',
  summary: 'Options for the browser, with which a passkey confirms one change of the account.',
  query: none,
  body: noBody,
  response: z.object({ options: options.describe('PublicKeyCredentialRequestOptionsJSON of WebAuthn.') }),
});

export const passkeySpecs = [
  listPasskeys,
  beginPasskey,
  addPasskey,
  renamePasskey,
  removePasskey,
  beginConfirmation,
];
