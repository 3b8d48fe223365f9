import { z } from 'zod';
import { instant } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';

export const password = z
  .string()
  .describe('The password once more: a session that was left open is not enough.');

export const recoveryCodes = z
  .array(z.string())
  .describe('Each replaces a code of the app once. In this answer and never again.');

export const profile = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    passwordSetAt: instant,
    secondFactor: z.boolean(),
    recoveryCodesLeft: z.int().min(0),
  })
  .meta({ id: 'Profile' });

export const loginSession = z
  .object({
    ref: z.string().describe('Names the session; nobody can log in with it.'),
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
  summary: 'The account of the person.',
  query: none,
  body: noBody,
  answer: profile,
});

export const changePassword = declare({
  id: 'changePassword',
  method: 'POST',
  path: '/profile/password',
  summary: 'Sets another password. All sessions but this one end.',
  query: none,
  body: z.strictObject({ current: z.string(), next: z.string() }),
  status: 204,
  answer: noBody,
});

export const offerSecondFactor = declare({
  id: 'offerSecondFactor',
  method: 'POST',
  path: '/profile/second-factor',
  summary: 'Makes a secret for an authenticator app. It does nothing until a code of it is confirmed.',
  query: none,
  body: z.strictObject({ password }),
  answer: z
    .object({
      secret: z.string().describe('In base32, to be typed into the app.'),
      uri: z.string().describe('As the QR code carries it.'),
      qr: z
        .object({ size: z.int(), path: z.string() })
        .describe('The QR code: the path of an SVG picture of `size` by `size`.'),
    })
    .meta({ id: 'OfferedSecondFactor' }),
});

export const confirmSecondFactor = declare({
  id: 'confirmSecondFactor',
  method: 'POST',
  path: '/profile/second-factor/confirm',
  summary: 'Turns the second factor on with the first code of the app.',
  query: none,
  body: z.strictObject({ code: z.string() }),
  answer: z.object({ recoveryCodes }),
});

export const renewRecoveryCodes = declare({
  id: 'renewRecoveryCodes',
  method: 'POST',
  path: '/profile/second-factor/recovery-codes',
  summary: 'Makes new recovery codes; the old ones end.',
  query: none,
  body: z.strictObject({ password }),
  answer: z.object({ recoveryCodes }),
});

export const disableSecondFactor = declare({
  id: 'disableSecondFactor',
  method: 'DELETE',
  path: '/profile/second-factor',
  summary: 'Turns the second factor off.',
  query: none,
  body: z.strictObject({ password }),
  status: 204,
  answer: noBody,
});

export const listSessions = declare({
  id: 'listSessions',
  method: 'GET',
  path: '/profile/sessions',
  summary: 'Where the person is logged in, latest use first; 200 at most.',
  query: none,
  body: noBody,
  answer: z.object({ sessions: z.array(loginSession) }),
});

export const endSession = declare({
  id: 'endSession',
  method: 'DELETE',
  path: '/profile/sessions/{sessionRef}',
  summary: 'Logs one browser out.',
  query: none,
  body: noBody,
  status: 204,
  answer: noBody,
});

export const endOtherSessions = declare({
  id: 'endOtherSessions',
  method: 'DELETE',
  path: '/profile/sessions',
  summary: 'Logs every browser out but this one.',
  query: none,
  body: noBody,
  answer: z.object({ ended: z.int().min(0) }),
});

export const profileSpecs = [
  getProfile,
  changePassword,
  offerSecondFactor,
  confirmSecondFactor,
  renewRecoveryCodes,
  disableSecondFactor,
  listSessions,
  endSession,
  endOtherSessions,
];
