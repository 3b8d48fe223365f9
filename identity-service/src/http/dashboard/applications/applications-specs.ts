import { z } from 'zod';
import { instant } from '../instant.ts';
import { nextCursor, pageCursor } from '../page-cursor.ts';
import { propagation } from '../propagation-schema.ts';
import { declare, noBody, none } from '../spec.ts';
import { addressUse, hourlySpan, usageHour } from '../traffic.ts';
import {
  application,
  clientSecret,
  connection,
  registrationObstacle,
  settingsFields,
  whitelistCheck,
} from './application-schemas.ts';

const all = '/businesses/{businessId}/applications';
const one = '/businesses/{businessId}/applications/{applicationId}';
const { ipWhitelist } = settingsFields;

export const listApplications = declare({
  id: 'listApplications',
  method: 'GET',
  path: all,
  summary: 'The applications of a business, newest first.',
  query: none,
  body: noBody,
  answer: z.object({
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
    ...settingsFields,
    webhooksEnabled: settingsFields.webhooksEnabled.default(false),
    webhookEvents: settingsFields.webhookEvents.default([]),
    allowedOrigins: settingsFields.allowedOrigins.default([]),
  }),
  status: 201,
  answer: z.object({ application, clientSecret }),
});

export const checkNewWhitelist = declare({
  id: 'checkNewWhitelist',
  method: 'POST',
  path: '/businesses/{businessId}/whitelist-check',
  summary: 'What a whitelist would do for an application that is still to be registered.',
  query: none,
  body: z.strictObject({ ipWhitelist }),
  answer: whitelistCheck,
});

export const getApplication = declare({
  id: 'getApplication',
  method: 'GET',
  path: one,
  summary: 'One application.',
  query: none,
  body: noBody,
  answer: application,
});

export const updateApplication = declare({
  id: 'updateApplication',
  method: 'PATCH',
  path: one,
  summary: 'Changes the settings that are given, and no others.',
  query: none,
  body: z.strictObject(settingsFields).partial(),
  answer: z.object({ application, propagation }),
});

export const deleteApplication = declare({
  id: 'deleteApplication',
  method: 'DELETE',
  path: one,
  summary: 'Removes an application for ever; every connected business loses the connection at once.',
  query: none,
  body: noBody,
  answer: z.object({ propagation }),
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
      .describe('Whether the secret there is stays beside the new one; else it ends at once.'),
  }),
  status: 201,
  answer: z.object({ application, clientSecret, propagation }),
});

export const deleteClientSecret = declare({
  id: 'deleteClientSecret',
  method: 'DELETE',
  path: `${one}/client-secrets/{clientSecretId}`,
  summary: 'Ends a client secret at once.',
  query: none,
  body: noBody,
  answer: z.object({ application, propagation }),
});

export const listApplicationConnections = declare({
  id: 'listApplicationConnections',
  method: 'GET',
  path: `${one}/connections`,
  summary: 'Businesses that are connected to an application, newest first, page by page.',
  query: z.strictObject({ cursor: pageCursor.optional() }),
  body: noBody,
  answer: z.object({
    connections: z.array(connection),
    nextCursor,
  }),
});

export const getApplicationUsage = declare({
  id: 'getApplicationUsage',
  method: 'GET',
  path: `${one}/usage`,
  summary: 'Answers that an application got for all its businesses, hour by hour, over at most 90 days.',
  query: hourlySpan,
  body: noBody,
  answer: z.object({
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
  answer: z.object({ since: instant, callers: z.array(addressUse) }),
});

export const checkWhitelist = declare({
  id: 'checkWhitelist',
  method: 'POST',
  path: `${one}/whitelist-check`,
  summary: 'What a whitelist would do for an application, judged by its callers of the last days.',
  query: none,
  body: z.strictObject({ ipWhitelist }),
  answer: whitelistCheck,
});

export const applicationsSpecs = [
  listApplications,
  createApplication,
  checkNewWhitelist,
  getApplication,
  updateApplication,
  deleteApplication,
  rotateClientSecret,
  deleteClientSecret,
  listApplicationConnections,
  getApplicationUsage,
  listApplicationCallers,
  checkWhitelist,
];
