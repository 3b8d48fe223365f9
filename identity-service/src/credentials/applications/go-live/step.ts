import type { EndpointRecord } from '../../../clients/webhook-records.ts';
import type { Application } from '../application.ts';

/** Facts on record of an application, from its settings and its real requests. */
export interface OnRecord extends Pick<Application, 'redirectUris' | 'ipWhitelist'> {
  /** A token request succeeded. */
  readonly hasConnected: boolean;
  readonly hasRefreshed: boolean;
  readonly hasRevoked: boolean;
  /** Its client secret was sent over http. */
  readonly hasExposedSecret: boolean;
  readonly endpoints: readonly Pick<EndpointRecord, 'enabled' | 'recent'>[];
}

/** Identifiers of steps. */
export const stepIds = [
  'redirect_uri',
  'whitelist',
  'connection',
  'refresh',
  'revocation',
  'https',
  'webhooks',
] as const;

/** A step before an application goes live. */
export interface Step {
  readonly id: (typeof stepIds)[number];
  /** Statement that is true when it is done. */
  readonly words: string;
  /** The way to do it, for one that is not done. */
  readonly advice: string;
  readonly isDone: boolean;
}

/** Steps in their order. The one about webhooks is for applications with an endpoint. */
export function stepsOf(record: OnRecord): Step[] {
  const steps: Step[] = [
    {
      id: 'redirect_uri',
      words: 'Every redirect URI is https, and none is on localhost',
      advice: 'Register the address of your server under Settings, and remove those of your own machine.',
      isDone: record.redirectUris.every(isPublic),
    },
    {
      id: 'whitelist',
      words: 'The IP whitelist has the addresses of your servers, not every address',
      advice: 'Replace 0.0.0.0/0 or ::/0 under Settings: with it, a stolen token works from anywhere.',
      isDone: record.ipWhitelist.every((entry) => !entry.endsWith('/0')),
    },
    {
      id: 'connection',
      words: 'A business was connected, from the authorization to the tokens',
      advice: 'Connect your own business with the authorization URL under Credentials.',
      isDone: record.hasConnected,
    },
    {
      id: 'refresh',
      words: 'A token was refreshed',
      advice: 'Refresh the token of a connection that you keep: access tokens end after an hour.',
      isDone: record.hasRefreshed,
    },
    {
      id: 'revocation',
      words: 'A token was revoked in the last 30 days',
      advice: 'Call the revocation endpoint, as when a user disconnects your app.',
      isDone: record.hasRevoked,
    },
    {
      id: 'https',
      words: 'No client secret came over http in the last 30 days',
      advice: 'Use https for every request, and rotate the client secret.',
      isDone: !record.hasExposedSecret,
    },
  ];
  return record.endpoints.length === 0 ? steps : [...steps, webhookStep(record)];
}

function webhookStep({ endpoints }: Pick<OnRecord, 'endpoints'>): Step {
  return {
    id: 'webhooks',
    words: 'Every webhook endpoint receives, and accepted its latest delivery',
    advice: 'The tab Webhooks has the latest deliveries, and why they failed.',
    isDone: endpoints.every(({ enabled, recent }) => enabled && recent.lastOutcome === 'delivered'),
  };
}

const localHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

function isPublic(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' && !localHosts.includes(hostname);
}
