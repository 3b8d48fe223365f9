import { z } from 'zod';
import { webhookEvents } from '../../../applications/webhook-event.ts';
import { businessNameSchema } from '../business-name.ts';
import { instant, instantOrNull } from '../instant.ts';
import { scopeSchema } from '../session/session-specs.ts';
import { addressUse } from '../traffic.ts';

const count = z.int().min(0);
/** What no list comes near; which length is right is the domain's to say. */
const maxEntries = 200;

const webhookEvent = z.enum(webhookEvents).meta({ id: 'WebhookEvent' });

/** What the owner decides about an application, as it is asked for. */
export const settingsFields = {
  name: z.string(),
  description: z.string(),
  redirectUris: z.array(z.string()).max(maxEntries),
  scopes: z.array(scopeSchema).max(maxEntries),
  ipWhitelist: z
    .array(z.string())
    .max(maxEntries)
    .describe('Addresses and networks in CIDR notation, IPv4 or IPv6.'),
  webhooksEnabled: z.boolean(),
  webhookEvents: z.array(webhookEvent).max(maxEntries),
  allowedOrigins: z
    .array(z.string())
    .max(maxEntries)
    .describe('Origins whose pages may call the API with access tokens of the application.'),
};

const clientSecretInfo = z
  .object({
    id: z.string(),
    lastFour: z.string().describe('The last characters of the secret.'),
    createdAt: instant,
    lastUsedAt: instantOrNull,
  })
  .meta({ id: 'ClientSecret' });

export const application = z
  .object({
    id: z.string(),
    clientId: z.string().describe('The client ID of OAuth; public.'),
    name: z.string(),
    description: z.string(),
    redirectUris: z.array(z.string()),
    scopes: z.array(scopeSchema).describe('Sorted.'),
    ipWhitelist: z.array(z.string()).describe('In normal form.'),
    webhooksEnabled: z.boolean(),
    webhookEvents: z.array(webhookEvent).describe('Sorted.'),
    allowedOrigins: z.array(z.string()),
    secrets: z.array(clientSecretInfo).describe('At most two, oldest first.'),
    connectedUsers: count.describe('Businesses that are connected.'),
    connectedUserLimit: count.describe('Businesses that may be connected at a time.'),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Application' });

export const clientSecret = z.string().describe('The secret itself; in this answer and never again.');

export const registrationObstacle = z
  .object({
    reason: z.enum(['business_not_verified', 'application_limit_reached']),
    text: z.string().describe('A sentence for the person at the screen.'),
  })
  .meta({ id: 'RegistrationObstacle' });

export const connection = z
  .object({
    id: z.string(),
    business: businessNameSchema.nullable().describe('null while business-service does not say.'),
    scopes: z.array(scopeSchema).describe('Approved so far; sorted.'),
    scopesUsed: z.array(scopeSchema).describe('Really used by requests; sorted.'),
    since: instant,
    lastUsedAt: instantOrNull,
  })
  .describe('A business that is connected to an application.')
  .meta({ id: 'Connection' });

export const whitelistCheck = z
  .object({
    yourAddress: z.string().describe('Where this very question came from.'),
    allowed: z.boolean().describe('Whether that address would be let in.'),
    faults: z
      .record(z.string(), z.string())
      .describe('As an error has them in `fields`: `ipWhitelist.2` is an entry.'),
    shutOut: z
      .array(addressUse)
      .describe('Addresses that called with success lately and would be refused; the latest success first.'),
  })
  .describe('What a whitelist would do, before it is saved. Entries with a fault let nobody in.')
  .meta({ id: 'WhitelistCheck' });
