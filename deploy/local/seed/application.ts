import { type ApplicationMessage, applicationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { actor, call, type DemoApplication, grpcOptions, type SeedContext } from './context.ts';

const settings = {
  name: 'Demo Bookkeeping',
  description: 'Shows the OAuth flow step by step, and reads your business. Comes with npm start.',
  scopes: ['business:read', 'orders:read'],
  ipWhitelist: ['127.0.0.1', '::1'],
  webhooksEnabled: false,
  webhookEvents: [],
};

/** The demo application: registered once; it gets a new secret when demo.json does not hold the current one. */
export async function ensureDemoApplication(
  { identityGrpcTarget, redirectUri, kept }: SeedContext,
  businessId: number,
): Promise<DemoApplication> {
  const { rpc, close } = createGrpcClient(applicationService, grpcOptions(identityGrpcTarget));
  const { application: old } = kept;
  try {
    const { applications } = await rpc.ListApplications({ businessId }, call);
    const known = applications.find((application) => old !== undefined && isOf(old, application));
    // Any port of a loopback redirect URI will do.
    if (known !== undefined && old !== undefined) {
      return { ...old, redirectUri, scopes: known.settings?.scopes ?? [] };
    }
    const there = applications.find((application) => application.settings?.name === settings.name);
    const { application, clientSecret } =
      there === undefined
        ? await rpc.CreateApplication(
            { actor, businessId, settings: { ...settings, redirectUris: [redirectUri] } },
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

function isOf({ clientId, clientSecret }: DemoApplication, application: ApplicationMessage): boolean {
  const { secrets } = application;
  return application.clientId === clientId && secrets.some(({ lastFour }) => clientSecret.endsWith(lastFour));
}
