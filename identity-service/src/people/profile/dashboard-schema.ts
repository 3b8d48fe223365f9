import { z } from 'zod';
import { instant } from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { assertion } from '../passkeys/passkey.ts';

const password = z.string().describe('The current password: an open session alone is not enough.');

/** Fields by which a person confirms a change of the account. */
export const confirmation = {
  password,
  code: z.string().optional().describe('Of the second factor, when it is on; or a recovery code.'),
  passkey: assertion
    .optional()
    .describe('In place of the code: a challenge of /profile/passkeys/confirmation, signed by a passkey.'),
};

const recoveryCodes = z
  .array(z.string())
  .describe('Each replaces one code of the app. Returned only in this response.');

const profile = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    passwordSetAt: instant,
    secondFactor: z.boolean().describe('Whether an authenticator app is on.'),
    passkeys: z.int().min(0),
    recoveryCodesLeft: z.int().min(0),
  })
  .meta({ id: 'Profile' });

const loginSession = z
  .object({
    ref: z.string().describe('Identifies the session; it is not a credential.'),
    browser: z.string().describe('As `Firefox on Linux`.'),
    address: z.string(),
    beganAt: instant,
    lastSeenAt: instant,
    isThisOne: z.boolean(),
  })
  .meta({ id: 'LoginSession' });

export const getProfile = declare({
  id: 'getProfile',
  method: 'GET',
  path: '/profile',
  summary: 'Account of the person.',
  query: none,
  body: noBody,
  response: profile,
});

export const renamePerson = declare({
  id: 'renamePerson',
  method: 'PATCH',
  path: '/profile',
  summary: 'Changes the name of the person.',
  query: none,
  body: z.strictObject({ name: z.string() }),
  status: 204,
  response: noBody,
});

export const confirmIdentity = declare({
  id: 'confirmIdentity',
  method: 'POST',
  path: '/profile/confirmation',
  summary:
    'Shows who the person is, for ten minutes of this session: what makes a secret key asks for it (403 `confirmation_required`).',
  query: none,
  body: z.strictObject({
    password: z.string().optional().describe('Required without a passkey.'),
    passkey: assertion
      .optional()
      .describe('A challenge of /profile/passkeys/confirmation, signed by a passkey.'),
  }),
  status: 204,
  response: noBody,
});

export const changePassword = declare({
  id: 'changePassword',
  method: 'POST',
  path: '/profile/password',
  summary: 'Changes the password and ends all other sessions.',
  query: none,
  body: z.strictObject({ current: z.string(), next: z.string() }),
  status: 204,
  response: noBody,
});

export const offerSecondFactor = declare({
  id: 'offerSecondFactor',
  method: 'POST',
  path: '/profile/second-factor',
  summary:
    'Creates a secret for an authenticator app. Takes effect when its first code is confirmed: in the same session, within ten minutes.',
  query: none,
  body: z.strictObject(confirmation),
  response: z
    .object({
      secret: z.string().describe('Base32, for typing into the app.'),
      uri: z.string().describe('otpauth URI that the QR code contains.'),
      qr: z
        .object({ size: z.int(), path: z.string() })
        .describe('QR code: path of an SVG of `size` by `size`.'),
    })
    .meta({ id: 'OfferedSecondFactor' }),
});

export const confirmSecondFactor = declare({
  id: 'confirmSecondFactor',
  method: 'POST',
  path: '/profile/second-factor/confirm',
  summary: 'Turns on the second factor with the first code of the app.',
  query: none,
  body: z.strictObject({ code: z.string() }),
  response: z.object({ recoveryCodes }),
});

export const renewRecoveryCodes = declare({
  id: 'renewRecoveryCodes',
  method: 'POST',
  path: '/profile/second-factor/recovery-codes',
  summary: 'Replaces the recovery codes; the old ones stop working.',
  query: none,
  body: z.strictObject(confirmation),
  response: z.object({ recoveryCodes }),
});

export const disableSecondFactor = declare({
  id: 'disableSecondFactor',
  method: 'DELETE',
  path: '/profile/second-factor',
  summary: 'Turns off the second factor.',
  query: none,
  body: z.strictObject(confirmation),
  status: 204,
  response: noBody,
});

export const listSessions = declare({
  id: 'listSessions',
  method: 'GET',
  path: '/profile/sessions',
  summary: 'Sessions of the person, last used first; 200 at most.',
  query: none,
  body: noBody,
  response: z.object({ sessions: z.array(loginSession) }),
});

export const endSession = declare({
  id: 'endSession',
  method: 'DELETE',
  path: '/profile/sessions/{sessionRef}',
  summary: 'Ends one session.',
  query: none,
  body: noBody,
  status: 204,
  response: noBody,
});

export const endOtherSessions = declare({
  id: 'endOtherSessions',
  method: 'DELETE',
  path: '/profile/sessions',
  summary: 'Ends all sessions but the current one.',
  query: none,
  body: noBody,
  response: z.object({ ended: z.int().min(0) }),
});

export const profileSpecs = [
  getProfile,
  renamePerson,
  confirmIdentity,
  changePassword,
  offerSecondFactor,
  confirmSecondFactor,
  renewRecoveryCodes,
  disableSecondFactor,
  listSessions,
  endSession,
  endOtherSessions,
];
