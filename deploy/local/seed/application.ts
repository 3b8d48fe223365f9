import { lookup } from 'node:dns/promises';
import type { Application } from '../../../identity-service/src/credentials/applications/application.ts';
import {
  createApplication,
  rotateClientSecret,
  updateApplication,
} from '../../../identity-service/src/credentials/applications/operations.ts';
import { actor, type DemoApplication, type SeedContext } from './context.ts';

const loopback = ['127.0.0.1', '::1'];

/** Maximum addresses on the whitelist, which may include earlier addresses of the machine. */
const maxAddresses = 100;

const settings = {
  name: 'Demo Bookkeeping',
  description: 'Shows the OAuth flow, a call and a webhook step by step. Comes with npm start.',
  scopes: ['business:read', 'orders:read', 'orders:write'],
  ipWhitelist: loopback,
  webhooksEnabled: false,
  webhookEvents: [],
  allowedOrigins: [],
  repeatLostRefresh: false,
};

/** The demo application: registered once; it gets a new secret when demo.json does not hold the current one. */
export async function ensureDemoApplication(
  { acts, baseUrl, redirectUri, kept }: SeedContext,
  businessId: number,
): Promise<DemoApplication> {
  const { application: old } = kept;
  const applications = await acts.applications.list(businessId);
  const addresses = await addressesOf(baseUrl);
  const known = applications.find((application) => old !== undefined && isOf(old, application));
  // Any port of a loopback redirect URI will do.
  const there = known ?? applications.find(({ name }) => name === settings.name);
  if (there !== undefined) await admit(acts, there, addresses);
  if (known !== undefined && old !== undefined) return { ...old, redirectUri, scopes: known.scopes };
  const ipWhitelist = [...new Set([...loopback, ...addresses])];
  const wanted = { ...settings, ipWhitelist, redirectUris: [redirectUri] };
  const { application, clientSecret } =
    there === undefined
      ? await createApplication(acts, { actor, businessId, settings: wanted })
      : await rotateClientSecret(acts, { actor, businessId, applicationId: there.id, keepOld: false });
  return { clientId: application.clientId, clientSecret, redirectUri, scopes: application.scopes };
}

/** Addresses at which the platform listens. A program on this machine that calls one of them has the same source address. */
async function addressesOf(baseUrl: string): Promise<string[]> {
  const name = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  // PUBLIC_URL may be a name that only other machines can resolve.
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/** Adds addresses of HTTP_HOST to the whitelist. Does not restore loopback addresses that a person has removed. */
async function admit(
  acts: SeedContext['acts'],
  { id: applicationId, businessId, ipWhitelist: before }: Application,
  addresses: readonly string[],
): Promise<void> {
  const added = addresses.filter((each) => !loopback.includes(each) && !before.includes(each));
  if (added.length === 0) return;
  const ipWhitelist = [...before.slice(0, maxAddresses - added.length), ...added];
  await updateApplication(acts, { actor, businessId, applicationId, update: { ipWhitelist } });
}

function isOf({ clientId, clientSecret }: DemoApplication, application: Application): boolean {
  const { secrets } = application;
  return application.clientId === clientId && secrets.some(({ lastFour }) => clientSecret.endsWith(lastFour));
}
