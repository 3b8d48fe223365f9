import { z } from 'zod';
import { scopes } from '../platform/scope.ts';
import { instant, instantOrNull, propagation } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';

export const record = z
  .object({
    numericId: z.int(),
    uniqueId: z.string(),
    accountHolder: z.string(),
    username: z.string(),
    logo: z.string().nullable().describe('URL of a picture.'),
    isBanned: z.boolean(),
    createdAt: instant,
  })
  .meta({ id: 'BusinessRecord' });

export const facts = z
  .object({
    legalName: z.string(),
    registrationNumber: z.string(),
    country: z.string().describe('ISO 3166-1 alpha-2.'),
  })
  .meta({ id: 'LegalFacts' });

export const verification = z
  .object({
    state: z.enum(['unverified', 'pending', 'verified', 'rejected']),
    facts: facts.nullable().describe('As they were handed in last.'),
    submittedAt: instantOrNull,
    decidedAt: instantOrNull,
    rejectionReason: z.string().nullable(),
  })
  .meta({ id: 'Verification' });

export const getBusiness = declare({
  id: 'getBusiness',
  method: 'GET',
  path: '/businesses/{businessId}',
  summary: 'The business as it is registered, and its verification.',
  query: none,
  body: noBody,
  answer: z
    .object({
      id: z.string().describe('The identifier in addresses.'),
      record: record.nullable(),
      verification: verification.nullable(),
    })
    .describe('`record` and `verification` are null while business-service does not answer.')
    .meta({ id: 'Business' }),
});

export const submitVerification = declare({
  id: 'submitVerification',
  method: 'POST',
  path: '/businesses/{businessId}/verification',
  summary: 'Hands in the legal facts of the business, to be checked.',
  role: 'owner',
  query: none,
  body: z.strictObject({ legalName: z.string(), registrationNumber: z.string(), country: z.string() }),
  status: 204,
  answer: noBody,
});

export const getRecentCalls = declare({
  id: 'getRecentCalls',
  method: 'GET',
  path: '/businesses/{businessId}/recent-calls',
  summary: 'How many API requests of the business came lately, whatever their answer; a few seconds old.',
  query: none,
  body: noBody,
  answer: z.object({ lastHour: z.int().min(0), lastDay: z.int().min(0) }).meta({ id: 'RecentCalls' }),
});

export const businessSpecs = [getBusiness, submitVerification, getRecentCalls];

export const path = '/businesses/{businessId}/freeze';

export const freeze = z
  .object({
    frozenAt: instant,
    reason: z.string().describe('May be empty.'),
    frozenBy: z.object({
      personId: z.string(),
      name: z.string().describe('Empty when the account is gone.'),
    }),
  })
  .meta({ id: 'Freeze' });

export const getFreeze = declare({
  id: 'getFreeze',
  method: 'GET',
  path,
  summary: 'Whether the business lets API requests in.',
  query: none,
  body: noBody,
  answer: z.object({ freeze: freeze.nullable().describe('null while requests are let in.') }),
});

export const freezeBusiness = declare({
  id: 'freezeBusiness',
  method: 'PUT',
  path,
  role: 'owner',
  summary: 'Lets no API request in, by any key or application, until the freeze is lifted.',
  query: none,
  body: z.strictObject({
    reason: z
      .string()
      .default('')
      .describe('One line of at most 200 characters. A freeze that is there keeps its own.'),
  }),
  answer: z.object({ freeze: freeze.nullable().describe('null when it was lifted meanwhile.'), propagation }),
});

export const liftFreeze = declare({
  id: 'liftFreeze',
  method: 'DELETE',
  path,
  role: 'owner',
  summary: 'Lets API requests in again, at once. Does nothing where there is no freeze.',
  query: none,
  body: noBody,
  status: 204,
  answer: noBody,
});

export const freezeSpecs = [getFreeze, freezeBusiness, liftFreeze];

export const scopeSchema = z.enum(scopes).meta({ id: 'Scope' });

const ownBusiness = z
  .object({
    id: z.string().describe('The identifier in addresses.'),
    name: z.string(),
    username: z.string(),
    role: z.enum(['owner', 'member']),
    verification: z.enum(['unverified', 'pending', 'verified', 'rejected']).nullable(),
    frozen: z.boolean(),
  })
  .describe(
    'A business of the person. Its name is empty and `verification` null while business-service does not answer.',
  )
  .meta({ id: 'OwnBusiness' });

const session = z
  .object({
    person: z.object({ id: z.string(), name: z.string(), email: z.string(), secondFactor: z.boolean() }),
    csrfToken: z.string().describe('For the header X-CSRF-Token.'),
    businesses: z.array(ownBusiness).describe('Oldest membership first.'),
  })
  .meta({ id: 'Session' });

export const getSession = declare({
  id: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'Who is logged in, and for which businesses.',
  query: none,
  body: noBody,
  answer: session,
});

export const listScopes = declare({
  id: 'listScopes',
  method: 'GET',
  path: '/scopes',
  summary: 'What keys and applications may be allowed to do, in plain words.',
  query: none,
  body: noBody,
  answer: z.object({
    scopes: z.array(z.object({ scope: scopeSchema, words: z.string() }).meta({ id: 'ScopeWords' })),
  }),
});

export const sessionSpecs = [getSession, listScopes];
