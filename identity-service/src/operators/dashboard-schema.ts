import { z } from 'zod';
import { complete, keySearch } from '../credentials/api-keys/dashboard-schema.ts';
import { nextCursor } from '../platform/pagination.ts';
import { instant, instantOrNull, roleSchema } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import { limitKinds } from './limit-requests/limit-request.ts';

const businessFields = {
  id: z.int(),
  uniqueId: z.string(),
  name: z.string().describe('Display name.'),
  username: z.string(),
  logo: z.string().nullable().describe('URL of an image; null without one.'),
  verification: z.enum(['unverified', 'pending', 'verified', 'rejected']),
  facts: z
    .object({ legalName: z.string(), registrationNumber: z.string(), country: z.string() })
    .meta({ id: 'LegalFacts' })
    .nullable()
    .describe('As last submitted.'),
  submittedAt: instantOrNull,
  isBanned: z.boolean(),
  createdAt: instant,
};

const business = z.object(businessFields).meta({ id: 'Business' });

const businessName = z.string().nullable().describe('null while business-service is unavailable.');

const limitRequest = z
  .object({
    id: z.string(),
    businessId: z.int(),
    businessName,
    kind: z.enum(limitKinds),
    subjectId: z.string().describe('The app, or the API key.'),
    subjectName: z.string().nullable().describe('null when it was deleted.'),
    currentLimit: z.int().nullable(),
    requestedLimit: z.int(),
    reason: z.string(),
    requestedBy: z.string().nullable().describe('Email address of the owner who asks.'),
    createdAt: instant,
    connectedUsers: z.int(),
    requests: z.number().describe('In the last 30 days.'),
    refused: z.number().describe('Of them, because of the limit.'),
    busiestHour: z.number(),
  })
  .meta({ id: 'LimitRequest' });

const proposal = z
  .object({
    id: z.string(),
    businessId: z.int(),
    businessName,
    isBan: z.boolean().describe('Otherwise it lifts a ban.'),
    reason: z.string(),
    proposedBy: z.string().nullable().describe('Email address.'),
    isYours: z.boolean().describe('Another operator decides it then.'),
    proposedAt: instant,
    expiresAt: instant,
  })
  .meta({ id: 'BanProposal' });

export const getSession = declare({
  id: 'getOperatorSession',
  method: 'GET',
  path: '/session',
  summary: 'The operator of this session.',
  query: none,
  body: noBody,
  response: z.object({ email: z.string() }),
});

export const acceptInvitation = declare({
  id: 'acceptOperatorInvitation',
  method: 'POST',
  path: '/join',
  summary: 'Makes the person an operator. For the invited address, logged in with the second factor.',
  query: none,
  body: z.strictObject({ token: z.string().max(200).describe('From the emailed link.') }),
  status: 204,
  response: noBody,
});

export const getQueue = declare({
  id: 'getQueue',
  method: 'GET',
  path: '/queue',
  summary: 'What waits for an operator, the longest first; at most 100 of each.',
  query: none,
  body: noBody,
  response: z.object({
    verifications: z.array(business),
    hasMore: z.boolean().describe('There are more verifications than these.'),
    limitRequests: z.array(limitRequest),
    proposals: z.array(proposal).describe('Bans and ends of bans that wait for a second operator.'),
  }),
});

export const search = declare({
  id: 'search',
  method: 'GET',
  path: '/search',
  summary:
    'Businesses by a part of a name, or by a whole username, registration number, email address, client ID, request ID, identifier, or the last four characters of a key; at most 50. The log of operators has the text.',
  query: z.strictObject({ text: z.string().trim().min(1, 'must not be empty').max(200) }),
  body: noBody,
  response: z.object({
    results: z.array(
      z
        .object({ business, found: z.array(z.string()).describe('What the text is, in words.') })
        .meta({ id: 'SearchResult' }),
    ),
  }),
});

const person = z
  .object({
    personId: z.string(),
    name: z.string(),
    email: z.string(),
    role: roleSchema,
    hasSecondFactor: z.boolean(),
    joinedAt: instant,
    lastSeenAt: instantOrNull,
  })
  .meta({ id: 'TeamMember' });

const key = z
  .object({
    id: z.string(),
    name: z.string(),
    keyType: z.enum(['secret', 'restricted']),
    lastFour: z.string(),
    status: z.enum(['active', 'expired']),
    limit: z.int().describe('Requests in any hour.'),
    createdAt: instant,
    lastUsedAt: instantOrNull,
  })
  .meta({ id: 'ApiKey' });

const application = z
  .object({
    id: z.string(),
    clientId: z.string(),
    name: z.string(),
    connectedUsers: z.int(),
    connectedUserLimit: z.int(),
    suspensions: z.array(
      z
        .object({ cause: z.enum(['operator', 'publisher', 'ban']), reason: z.string(), suspendedAt: instant })
        .meta({ id: 'ApplicationSuspension' }),
    ),
    createdAt: instant,
  })
  .meta({ id: 'Application' });

/** Path of a business. */
export const one = '/businesses/{businessId}';

export const getBusiness = declare({
  id: 'getBusiness',
  method: 'GET',
  path: one,
  summary: 'A business, its people, apps and use, without any secret. The log of operators has each look.',
  query: none,
  body: noBody,
  response: z.object({
    business: business.extend({
      decidedAt: instantOrNull,
      decisionReason: z.string().nullable().describe('Of the last approval or rejection; null without one.'),
      ban: z.object({ bannedAt: instant, reason: z.string().nullable() }).nullable(),
    }),
    lookalikes: z
      .array(business)
      .describe('Verified businesses with a name that looks like one of its names.'),
    freeze: z
      .object({
        frozenAt: instant,
        personId: z.string().describe('The owner who froze it; empty for an operator.'),
        reason: z.string(),
      })
      .nullable(),
    fourEyes: z.boolean().describe('Whether a ban and its end take two operators.'),
    proposal: proposal.nullable().describe('A ban, or its end, that waits for a second operator.'),
    secondFactorRequiredAt: instantOrNull.describe('Since when its people need a second factor.'),
    people: z.array(person),
    applications: z.array(application),
    limitRequests: z.array(limitRequest).describe('Those that wait.'),
    use: z
      .object({
        requests: z.number(),
        refused: z.number().describe('4xx, without 429.'),
        limited: z.number().describe('429.'),
        failed: z.number().describe('5xx.'),
      })
      .describe('Of the last 24 hours, as the owners see them in their overview.'),
  }),
});

export const listApiKeys = declare({
  id: 'listApiKeys',
  method: 'GET',
  path: `${one}/api-keys`,
  summary: 'The API keys of a business, newest first. The log of operators has the search.',
  query: z.strictObject({ search: keySearch }),
  body: noBody,
  response: z.object({ apiKeys: z.array(key), complete }),
});

const entryFields = {
  at: instant,
  words: z.string(),
  operator: z.string().nullable().describe('Email address or login; null for any other actor.'),
};

export const listAuditEvents = declare({
  id: 'listAuditEvents',
  method: 'GET',
  path: `${one}/audit-events`,
  summary: 'The audit log of a business, newest first; 50 a page.',
  query: z.strictObject({
    cursor: z
      .string()
      .regex(/^[1-9]\d{0,17}$/, 'is not a cursor of this list')
      .optional(),
  }),
  body: noBody,
  response: z.object({
    events: z.array(
      z
        .object({
          id: z.string(),
          ...entryFields,
          action: z.string(),
          actor: z.string().describe('Name, email address or kind.'),
          clientIp: z.string().nullable(),
          reason: z.string().nullable(),
        })
        .meta({ id: 'AuditEvent' }),
    ),
    nextCursor,
  }),
});

export const listLog = declare({
  id: 'listLog',
  method: 'GET',
  path: '/log',
  summary: 'The log of operators, newest first; 50 a page.',
  query: z.strictObject({
    cursor: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'is not a cursor of this list')
      .optional(),
    operator: z.string().max(320).optional().describe('Email address, or login of the shell.'),
    businessId: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'must be the number of a business')
      .transform(Number)
      .optional(),
    kind: z
      .enum(['changes', 'looks'], 'must be changes or looks')
      .optional()
      .describe('Changes alone, or what was looked at and searched for alone.'),
  }),
  body: noBody,
  response: z.object({
    entries: z.array(
      z
        .object({
          row: z.int().describe('Position in the hash chain.'),
          ...entryFields,
          via: z.string().describe('`console`, or `shell` for `npm run admin`.'),
          clientIp: z.string().nullable(),
          action: z.string().describe('Such as `business.banned`.'),
          businessId: z.int().nullable(),
          businessName,
          subjectId: z.string(),
          facts: z.array(z.string()).describe('What the words leave out, as `Reason: …`.'),
          details: z.string().describe('JSON.'),
        })
        .meta({ id: 'LogEntry' }),
    ),
    nextCursor,
  }),
});

export const operatorReadSpecs = [
  ...[getSession, acceptInvitation, getQueue, search, getBusiness, listApiKeys, listAuditEvents, listLog],
];
