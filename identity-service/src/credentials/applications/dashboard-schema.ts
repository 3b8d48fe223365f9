import { z } from 'zod';
import { nextCursor, pageCursor } from '../../platform/pagination.ts';
import { addressUse, hourlySpan, usageHour } from '../../traffic/usage-fields.ts';
import {
  businessNameSchema,
  instant,
  instantOrNull,
  propagation,
  scopeSchema,
  suspensionBody,
} from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { settingsInput } from './settings.ts';

const count = z.int().min(0);

/** As the form offers them: scopes are chosen, not typed. */
const settings = {
  ...settingsInput,
  scopes: z.array(scopeSchema),
};

const clientSecretInfo = z
  .object({
    id: z.string(),
    lastFour: z.string().describe('The last characters of the secret.'),
    createdAt: instant,
    lastUsedAt: instantOrNull,
  })
  .meta({ id: 'ClientSecret' });

const suspension = z
  .object({
    cause: z
      .enum(['operator', 'publisher', 'ban'])
      .describe('`ban`: of the business that owns the application.'),
    reason: z.string().describe('May be empty.'),
    suspendedAt: instant,
  })
  .meta({ id: 'ApplicationSuspension' });

const application = z
  .object({
    id: z.string(),
    clientId: z.string().describe('The client ID of OAuth; public.'),
    ...settings,
    secrets: z.array(clientSecretInfo).describe('At most two, oldest first.'),
    suspensions: z
      .array(suspension)
      .describe('Why it may not act for the moment, oldest first; empty for one that may.'),
    connectedUsers: count.describe('Businesses that are connected.'),
    connectedUserLimit: count.describe('Businesses that may be connected at a time.'),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Application' });

const clientSecret = z.string().describe('The secret itself; only in this response.');

const registrationObstacle = z
  .object({
    reason: z.enum(['business_not_verified', 'application_limit_reached']),
    text: z.string().describe('A sentence for the person at the screen.'),
  })
  .meta({ id: 'RegistrationObstacle' });

const connection = z
  .object({
    id: z.string(),
    business: businessNameSchema.nullable().describe('null while business-service does not say.'),
    scopes: z.array(scopeSchema).describe('Approved so far; sorted.'),
    scopesUsed: z.array(scopeSchema).describe('Really used by requests; sorted.'),
    since: instant,
    lastUsedAt: instantOrNull,
    suspendedAt: instantOrNull.describe('When the business suspended the connection; null when it has not.'),
  })
  .describe('A business that is connected to an application.')
  .meta({ id: 'Connection' });

export const whitelistCheck = z
  .object({
    yourAddress: z.string().describe('Client address of this request.'),
    allowed: z.boolean().describe('Whether that address would be admitted.'),
    errors: z
      .record(z.string(), z.string())
      .describe('By field, as in `fields` of an error: `ipWhitelist.2` is an entry.'),
    shutOut: z
      .array(addressUse)
      .describe('Addresses with recent successful requests that would be refused; the latest success first.'),
  })
  .describe('Effect of a whitelist before it is saved. Invalid entries admit no address.')
  .meta({ id: 'WhitelistCheck' });

export const all = '/businesses/{businessId}/applications';

export const one = '/businesses/{businessId}/applications/{applicationId}';

export const listApplications = declare({
  id: 'listApplications',
  method: 'GET',
  path: all,
  summary: 'The applications of a business, newest first.',
  query: none,
  body: noBody,
  response: z.object({
    applications: z.array(application),
    limit: z.int().describe('Applications that a business may have.'),
    obstacle: registrationObstacle
      .nullable()
      .describe('What keeps the business from registering one more; null when nothing does.'),
  }),
});

export const createApplication = declare({
  id: 'createApplication',
  method: 'POST',
  path: all,
  summary: 'Registers an application and shows its client secret, once.',
  query: none,
  body: z.strictObject({
    ...settings,
    webhooksEnabled: settings.webhooksEnabled.default(false),
    webhookEvents: settings.webhookEvents.default([]),
    allowedOrigins: settings.allowedOrigins.default([]),
    repeatLostRefresh: settings.repeatLostRefresh.default(false),
  }),
  status: 201,
  response: z.object({ application, clientSecret }),
});

export const checkNewWhitelist = declare({
  id: 'checkNewWhitelist',
  method: 'POST',
  path: '/businesses/{businessId}/whitelist-check',
  summary: 'Checks a whitelist for an application or API key that does not exist yet.',
  query: none,
  body: z.strictObject({ ipWhitelist: settings.ipWhitelist }),
  response: whitelistCheck,
});

export const getApplication = declare({
  id: 'getApplication',
  method: 'GET',
  path: one,
  summary: 'One application.',
  query: none,
  body: noBody,
  response: application,
});

export const updateApplication = declare({
  id: 'updateApplication',
  method: 'PATCH',
  path: one,
  summary: 'Changes the settings that are given, and no others.',
  query: none,
  body: z.strictObject(settings).partial(),
  response: z.object({ application, propagation }),
});

export const allowAddress = declare({
  id: 'allowAddress',
  method: 'POST',
  path: `${one}/whitelist`,
  summary: 'Adds one address to the IP whitelist; the others stay.',
  query: none,
  body: z.strictObject({ address: z.string().describe('IPv4 or IPv6 address or network.') }),
  response: z.object({ application, propagation }),
});

export const deleteApplication = declare({
  id: 'deleteApplication',
  method: 'DELETE',
  path: one,
  summary: 'Deletes an application; every connected business is disconnected at once.',
  query: none,
  body: noBody,
  response: z.object({ propagation }),
});

export const rotateClientSecret = declare({
  id: 'rotateClientSecret',
  method: 'POST',
  path: `${one}/client-secrets`,
  summary: 'Makes a new client secret and shows it, once.',
  query: none,
  body: z.strictObject({
    keepOld: z
      .boolean()
      .describe(
        'Whether the secret there is stays beside the new one; else it ends at once, and all access tokens with it.',
      ),
  }),
  status: 201,
  response: z.object({ application, clientSecret, propagation }),
});

export const deleteClientSecret = declare({
  id: 'deleteClientSecret',
  method: 'DELETE',
  path: `${one}/client-secrets/{clientSecretId}`,
  summary: 'Ends a client secret at once.',
  query: none,
  body: noBody,
  response: z.object({ application, propagation }),
});

export const suspendApplication = declare({
  id: 'suspendApplication',
  method: 'PUT',
  path: `${one}/suspension`,
  summary: 'Refuses all tokens of an application at once, until it is resumed. Nothing is deleted.',
  query: none,
  body: suspensionBody,
  response: z.object({ application, propagation }),
});

export const resumeApplication = declare({
  id: 'resumeApplication',
  method: 'DELETE',
  path: `${one}/suspension`,
  summary: 'Lifts the suspension by the business itself. Those of operators and of a ban stay.',
  query: none,
  body: noBody,
  response: z.object({ application, propagation }),
});

export const listApplicationConnections = declare({
  id: 'listApplicationConnections',
  method: 'GET',
  path: `${one}/connections`,
  summary: 'Businesses that are connected to an application, newest first, page by page.',
  query: z.strictObject({ cursor: pageCursor.optional() }),
  body: noBody,
  response: z.object({
    connections: z.array(connection),
    nextCursor,
  }),
});

export const getApplicationUsage = declare({
  id: 'getApplicationUsage',
  method: 'GET',
  path: `${one}/usage`,
  summary: 'Responses to an application for all its businesses, hour by hour, over at most 90 days.',
  query: hourlySpan,
  body: noBody,
  response: z.object({
    hours: z.array(usageHour).describe('Oldest first; hours without a request are left out.'),
  }),
});

export const listApplicationCallers = declare({
  id: 'listApplicationCallers',
  method: 'GET',
  path: `${one}/callers`,
  summary:
    'Addresses from which an application called in the last days, the latest success first; 200 at most.',
  query: none,
  body: noBody,
  response: z.object({ since: instant, callers: z.array(addressUse) }),
});

export const checkWhitelist = declare({
  id: 'checkWhitelist',
  method: 'POST',
  path: `${one}/whitelist-check`,
  summary: 'Checks a whitelist for an application against its client addresses of the last days.',
  query: none,
  body: z.strictObject({ ipWhitelist: settings.ipWhitelist }),
  response: whitelistCheck,
});

export const applicationsSpecs = [
  listApplications,
  createApplication,
  checkNewWhitelist,
  getApplication,
  updateApplication,
  allowAddress,
  deleteApplication,
  rotateClientSecret,
  deleteClientSecret,
  suspendApplication,
  resumeApplication,
  listApplicationConnections,
  getApplicationUsage,
  listApplicationCallers,
  checkWhitelist,
];
