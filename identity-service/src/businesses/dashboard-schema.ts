import { z } from 'zod';
import { instant, instantOrNull, propagation, roleSchema, scopeSchema } from '../web/dashboard-api/fields.ts';
import { declare, file, noBody, none } from '../web/dashboard-api/spec.ts';

const record = z
  .object({
    numericId: z.int(),
    uniqueId: z.string(),
    accountHolder: z.string(),
    username: z.string(),
    logo: z.string().nullable().describe('URL of an image.'),
    isBanned: z.boolean(),
    usernameChangeableAt: instantOrNull.describe('null for a username that was never changed.'),
    createdAt: instant,
  })
  .meta({ id: 'BusinessRecord' });

const facts = z
  .object({
    legalName: z.string(),
    registrationNumber: z.string(),
    country: z.string().describe('ISO 3166-1 alpha-2.'),
  })
  .meta({ id: 'LegalFacts' });

const verification = z
  .object({
    state: z.enum(['unverified', 'pending', 'verified', 'rejected']),
    facts: facts.nullable().describe('As last submitted.'),
    submittedAt: instantOrNull,
    decidedAt: instantOrNull,
    rejectionReason: z.string().nullable(),
  })
  .meta({ id: 'Verification' });

export const getBusiness = declare({
  id: 'getBusiness',
  method: 'GET',
  path: '/businesses/{businessId}',
  summary: 'Record and verification of a business.',
  query: none,
  body: noBody,
  response: z
    .object({
      id: z.string().describe('The identifier in URLs.'),
      record: record.nullable(),
      verification: verification.nullable(),
    })
    .describe('`record` and `verification` are null while business-service is unavailable.')
    .meta({ id: 'Business' }),
});

export const createBusiness = declare({
  id: 'createBusiness',
  method: 'POST',
  path: '/businesses',
  summary:
    'Creates another business, owned by the person. Repeated after an error, it creates no second one.',
  query: none,
  body: z.strictObject({ accountHolder: z.string(), username: z.string() }),
  status: 201,
  response: z.object({ businessId: z.string().describe('The identifier in URLs.') }),
});

export const updateBusiness = declare({
  id: 'updateBusiness',
  method: 'PATCH',
  path: '/businesses/{businessId}',
  summary: 'Changes the display name, or the username, once in 30 days.',
  role: 'owner',
  query: none,
  body: z.strictObject({ accountHolder: z.string().optional(), username: z.string().optional() }),
  response: z.object({ record }),
});

const logoPath = '/businesses/{businessId}/logo';

export const setLogo = declare({
  id: 'setLogo',
  method: 'PUT',
  path: logoPath,
  summary:
    'Sets the logo: an image of at most 1 MB and 1,024 pixels a side, without animation. Metadata is removed.',
  role: 'owner',
  query: none,
  body: file,
  upload: { mediaTypes: ['image/png', 'image/jpeg', 'image/webp'], maxBytes: 1_000_000 },
  response: z.object({ record }),
});

export const removeLogo = declare({
  id: 'removeLogo',
  method: 'DELETE',
  path: logoPath,
  summary: 'Removes the logo.',
  role: 'owner',
  query: none,
  body: noBody,
  response: z.object({ record }),
});

export const submitVerification = declare({
  id: 'submitVerification',
  method: 'POST',
  path: '/businesses/{businessId}/verification',
  summary: 'Submits the legal facts of the business for verification.',
  role: 'owner',
  query: none,
  body: z.strictObject({ legalName: z.string(), registrationNumber: z.string(), country: z.string() }),
  status: 204,
  response: noBody,
});

export const eraseCustomer = declare({
  id: 'eraseCustomer',
  method: 'POST',
  path: '/businesses/{businessId}/customer-erasures',
  summary: 'Erases a customer from the orders and events of the business. Repeated until it is complete.',
  role: 'owner',
  query: none,
  body: z.strictObject({ email: z.string().describe('As in the orders; case makes no difference.') }),
  response: z
    .object({
      orders: z.int().min(0).describe('Orders that this call changed.'),
      events: z.int().min(0).describe('Events that this call rewrote.'),
      isComplete: z.boolean().describe('Whether nothing is left; otherwise the call is to be repeated.'),
    })
    .meta({ id: 'CustomerErasure' }),
});

export const businessSpecs = [
  createBusiness,
  getBusiness,
  updateBusiness,
  setLogo,
  removeLogo,
  submitVerification,
  eraseCustomer,
];

const freezePath = '/businesses/{businessId}/freeze';

const freeze = z
  .object({
    frozenAt: instant,
    reason: z.string().describe('May be empty.'),
    frozenBy: z
      .object({
        personId: z.string(),
        name: z.string().describe('Empty when the account was deleted.'),
      })
      .nullable()
      .describe('Null when an operator of the platform did.'),
  })
  .meta({ id: 'Freeze' });

export const getFreeze = declare({
  id: 'getFreeze',
  method: 'GET',
  path: freezePath,
  summary: 'The freeze of the business, if any.',
  query: none,
  body: noBody,
  response: z.object({ freeze: freeze.nullable().describe('null while the business is not frozen.') }),
});

export const freezeBusiness = declare({
  id: 'freezeBusiness',
  method: 'PUT',
  path: freezePath,
  role: 'owner',
  summary: 'Refuses every API request, of any key or application, until the freeze is lifted.',
  query: none,
  body: z.strictObject({
    reason: z
      .string()
      .default('')
      .describe('One line of at most 200 characters. An existing freeze keeps its reason.'),
  }),
  response: z.object({
    freeze: freeze.nullable().describe('null when it was lifted concurrently.'),
    propagation,
  }),
});

export const liftFreeze = declare({
  id: 'liftFreeze',
  method: 'DELETE',
  path: freezePath,
  role: 'owner',
  summary: 'Lifts the freeze at once. Without a freeze, does nothing.',
  query: none,
  body: noBody,
  response: z.object({ propagation }),
});

export const freezeSpecs = [getFreeze, freezeBusiness, liftFreeze];

const ownBusiness = z
  .object({
    id: z.string().describe('The identifier in URLs.'),
    name: z.string(),
    username: z.string(),
    role: roleSchema,
    verification: z.enum(['unverified', 'pending', 'verified', 'rejected']).nullable(),
    frozen: z.boolean(),
    isSandbox: z.boolean(),
    requiresSecondFactor: z
      .boolean()
      .describe('Whether every operation of the business is refused to people without a second factor.'),
  })
  .describe(
    'A business of the person. Its name is empty and `verification` null while business-service is unavailable.',
  )
  .meta({ id: 'OwnBusiness' });

const session = z
  .object({
    person: z.object({ id: z.string(), name: z.string(), email: z.string(), secondFactor: z.boolean() }),
    csrfToken: z.string().describe('For the header X-CSRF-Token.'),
    supportEmail: z.string().describe('Address for questions.'),
    maySandbox: z.boolean().describe('Whether people may make sandboxes here.'),
    requestsKept: z
      .object({
        days: z.int(),
        newest: z.int().nullable().describe('Requests of a business at most; null for all.'),
      })
      .describe('For how long requests are in the log.')
      .meta({ id: 'RequestsKept' }),
    businesses: z.array(ownBusiness).describe('Oldest membership first.'),
  })
  .meta({ id: 'Session' });

export const getSession = declare({
  id: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'The person of the session, and its businesses.',
  query: none,
  body: noBody,
  response: session,
});

export const listScopes = declare({
  id: 'listScopes',
  method: 'GET',
  path: '/scopes',
  summary: 'Every scope of the API, with a description of each.',
  query: none,
  body: noBody,
  response: z.object({
    scopes: z.array(z.object({ scope: scopeSchema, words: z.string() }).meta({ id: 'ScopeWords' })),
  }),
});

export const sessionSpecs = [getSession, listScopes];
