import { z } from 'zod';
import { addressUse } from '../../traffic/usage-fields.ts';
import { instant, propagation } from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { whitelistCheck } from '../applications/dashboard-schema.ts';
import { apiKeyRecord, item } from './dashboard-schema.ts';
import { settingsInput } from './settings.ts';

const freezePath = `${item}/freeze`;

export const freezeApiKey = declare({
  id: 'freezeApiKey',
  method: 'PUT',
  path: freezePath,
  summary:
    'Refuses every request of the key until the freeze is lifted. A frozen key keeps its first freeze.',
  query: none,
  body: z.strictObject({
    reason: z.string().default('').describe('One line of at most 200 characters, for the team.'),
  }),
  response: z.object({ apiKey: apiKeyRecord, propagation }),
});

export const liftApiKeyFreeze = declare({
  id: 'liftApiKeyFreeze',
  method: 'DELETE',
  path: freezePath,
  summary: 'Lifts the freeze of the key.',
  query: none,
  body: noBody,
  response: z.object({ apiKey: apiKeyRecord, propagation }),
});

export const allowApiKeyAddress = declare({
  id: 'allowApiKeyAddress',
  method: 'POST',
  path: `${item}/whitelist`,
  summary:
    'Adds one address to the IP whitelist; the others stay. An empty whitelist, which admits any, stays empty.',
  query: none,
  body: z.strictObject({ address: z.string().describe('IPv4 or IPv6 address or network.') }),
  response: z.object({ apiKey: apiKeyRecord, propagation }),
});

export const listApiKeyCallers = declare({
  id: 'listApiKeyCallers',
  method: 'GET',
  path: `${item}/callers`,
  summary: 'Addresses from which the key was used in the last 30 days, most used first; 100 at most.',
  query: none,
  body: noBody,
  response: z.object({ since: instant, callers: z.array(addressUse) }),
});

export const checkApiKeyWhitelist = declare({
  id: 'checkApiKeyWhitelist',
  method: 'POST',
  path: `${item}/whitelist-check`,
  summary: 'Checks a whitelist for the key against the addresses from which it was used in the last 30 days.',
  query: none,
  body: z.strictObject({ ipWhitelist: settingsInput.ipWhitelist }),
  response: whitelistCheck,
});

export const apiKeyAccessSpecs = [
  freezeApiKey,
  liftApiKeyFreeze,
  allowApiKeyAddress,
  listApiKeyCallers,
  checkApiKeyWhitelist,
];
