import { lookup } from 'node:dns/promises';
import { maskOf } from '@platform/protos/field-mask';
import { type ApplicationMessage, applicationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { actor, call, type DemoApplication, grpcOptions, type SeedContext } from './context.ts';

const loopback = ['127.0.0.1', '::1'];

/** On a whitelist: a machine may have had others before. */
const maxAddresses = 100;

const settings = {
  name: 'Demo Bookkeeping',
  description: 'Shows the OAuth flow step by step, and reads your business. Comes with npm start.',
  scopes: ['business:read', 'orders:read'],
  ipWhitelist: loopback,
  webhooksEnabled: false,
  webhookEvents: [],
};

/** The demo application: registered once; it gets a new secret when demo.json does not hold the current one. */
export async function ensureDemoApplication(
  { baseUrl, identityGrpcTarget, redirectUri, kept }: SeedContext,
  businessId: number,
): Promise<DemoApplication> {
  const { rpc, close } = createGrpcClient(applicationService, grpcOptions(identityGrpcTarget));
  const { application: old } = kept;
  try {
    const { applications } = await rpc.ListApplications({ businessId }, call);
    const addresses = await addressesOf(baseUrl);
    const known = applications.find((application) => old !== undefined && isOf(old, application));
    // Any port of a loopback redirect URI will do.
    const there = known ?? applications.find((application) => application.settings?.name === settings.name);
    if (there !== undefined) await admit(rpc, businessId, there, addresses);
    if (known !== undefined && old !== undefined) {
      return { ...old, redirectUri, scopes: known.settings?.scopes ?? [] };
    }
    const ipWhitelist = [...new Set([...loopback, ...addresses])];
    const { application, clientSecret } =
      there === undefined
        ? await rpc.CreateApplication(
            { actor, businessId, settings: { ...settings, ipWhitelist, redirectUris: [redirectUri] } },
            call,
          )
        : await rpc.RotateClientSecret({ actor, businessId, applicationId: there.id, keepOld: false }, call);
    if (application === null) throw new Error('identity-service returned no application.');
    const { scopes = [] } = application.settings ?? {};
    return { clientId: application.clientId, clientSecret, redirectUri, scopes };
  } finally {
    close();
  }
}

/** Addresses at which the platform listens: a program on this machine calls one of them from the same one. */
async function addressesOf(baseUrl: string): Promise<string[]> {
  const name = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  // PUBLIC_URL may be a name that only others know.
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

type ApplicationRpc = ReturnType<typeof createGrpcClient<typeof applicationService>>['rpc'];

/** Adds addresses of HTTP_HOST to the whitelist. Those of the loopback are missing where a person took them away. */
async function admit(
  rpc: ApplicationRpc,
  businessId: number,
  { id: applicationId, settings: present }: ApplicationMessage,
  addresses: readonly string[],
): Promise<void> {
  const before = present?.ipWhitelist ?? [];
  const added = addresses.filter((each) => !loopback.includes(each) && !before.includes(each));
  if (added.length === 0) return;
  const ipWhitelist = [...before.slice(0, maxAddresses - added.length), ...added];
  const change = { settings: { ipWhitelist }, updateMask: maskOf({ ipWhitelist }) };
  await rpc.UpdateApplication({ actor, businessId, applicationId, ...change }, call);
}

function isOf({ clientId, clientSecret }: DemoApplication, application: ApplicationMessage): boolean {
  const { secrets } = application;
  return application.clientId === clientId && secrets.some(({ lastFour }) => clientSecret.endsWith(lastFour));
}
