import { type ApplicationMessage, applicationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';

/** What an application needs to know of itself. */
export interface DemoApplication {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

export interface DemoApplicationContext {
  readonly identityGrpcTarget: string;
  /** Owner: a verified business. */
  readonly businessId: number;
  /** Where it is reached now. Any port of what was registered first will do. */
  readonly redirectUri: string;
}

const call = { deadlineMs: 10_000 };
const actor = { kind: 'system', id: 'npm start', clientIp: '' };

const settings = {
  name: 'Demo Bookkeeping',
  description: 'Shows the OAuth flow step by step, and reads your business. Comes with npm start.',
  scopes: ['business:read', 'orders:read'],
  ipWhitelist: ['127.0.0.1', '::1'],
  webhooksEnabled: false,
  webhookEvents: [],
};

/** The demo application: registered once; with a new secret when the one on file is not its own any more. */
export async function ensureDemoApplication(
  kept: DemoApplication | undefined,
  { identityGrpcTarget, businessId, redirectUri }: DemoApplicationContext,
): Promise<DemoApplication> {
  const target = { target: identityGrpcTarget, tls: { kind: 'plain' } } as const;
  const { rpc, close } = createGrpcClient(applicationService, target);
  try {
    const { applications } = await rpc.ListApplications({ businessId }, call);
    const known = applications.find((application) => kept !== undefined && isOf(kept, application));
    if (known !== undefined && kept !== undefined) {
      return { ...kept, redirectUri, scopes: known.settings?.scopes ?? [] };
    }
    const there = applications.find((application) => application.settings?.name === settings.name);
    const { application, clientSecret } =
      there === undefined
        ? await rpc.CreateApplication(
            { actor, businessId, settings: { ...settings, redirectUris: [redirectUri] } },
            call,
          )
        : await rpc.RotateClientSecret({ actor, businessId, applicationId: there.id, keepOld: false }, call);
    if (application === null) throw new Error('identity-service answered without the application.');
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
