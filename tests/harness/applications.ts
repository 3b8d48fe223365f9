import { actor, type Operations } from './operations.ts';

/** Settings that a test needs; the rest has defaults. */
export interface NewApplication {
  /** Owner; must be verified. */
  readonly businessId: number;
  readonly name?: string;
  readonly description?: string;
  readonly redirectUris?: readonly string[];
  readonly scopes?: readonly string[];
  readonly ipWhitelist?: readonly string[];
  /** None where absent. */
  readonly allowedOrigins?: readonly string[];
  /** Off where absent. */
  readonly repeatLostRefresh?: boolean;
}

/** An application as the test holds it. */
export interface TestApplication {
  readonly id: string;
  readonly businessId: number;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The first one. */
  readonly redirectUri: string;
}

type WhichApplication = Pick<TestApplication, 'id' | 'businessId'>;

type Settings = ReturnType<typeof settingsOf>;

export type Applications = ReturnType<typeof applicationCalls>;

/** Operations on applications and Grants for the setup of tests. Each resolves when it is done. */
export function applicationCalls({ open }: Operations) {
  const which = ({ id, businessId }: WhichApplication) => ({ actor, businessId, applicationId: id });
  const cause = 'operator' as const;
  return {
    createApplication: async (given: NewApplication): Promise<TestApplication> => {
      const { createApplication, acts } = await open();
      const input = { actor, businessId: given.businessId, settings: settingsOf(given) };
      const { application, clientSecret } = await createApplication(acts, input);
      const { id, businessId, clientId, redirectUris } = application;
      return { id, businessId, clientId, clientSecret, redirectUri: redirectUris[0] ?? '' };
    },
    getApplication: async (application: WhichApplication) => {
      const { getApplication, acts } = await open();
      return getApplication(acts, which(application));
    },
    listApplications: async (businessId: number) => (await open()).acts.applications.list(businessId),
    updateApplication: async (application: WhichApplication, update: Partial<Settings>) => {
      const { updateApplication, acts } = await open();
      return updateApplication(acts, { ...which(application), update });
    },
    rotateClientSecret: async (application: WhichApplication, keepOld = false) => {
      const { rotateClientSecret, acts } = await open();
      return rotateClientSecret(acts, { ...which(application), keepOld });
    },
    deleteClientSecret: async (application: WhichApplication, clientSecretId: string) => {
      const { deleteClientSecret, acts } = await open();
      return deleteClientSecret(acts, { ...which(application), clientSecretId });
    },
    deleteApplication: async (application: WhichApplication) => {
      const { deleteApplication, acts } = await open();
      return deleteApplication(acts, which(application));
    },
    setConnectedUserLimit: async (application: WhichApplication, limit: number) => {
      const { setConnectedUserLimit, acts } = await open();
      return setConnectedUserLimit(acts, { ...which(application), limit });
    },
    suspendApplication: async (application: WhichApplication, reason = '') => {
      const { suspendApplication, acts } = await open();
      return suspendApplication(acts, { ...which(application), cause, reason });
    },
    resumeApplication: async (application: WhichApplication) => {
      const { resumeApplication, acts } = await open();
      return resumeApplication(acts, { ...which(application), cause });
    },
    setPublisherBan: async (businessId: number, isBanned: boolean, reason: string) => {
      const { setPublisherBan, acts } = await open();
      // Loads the client of business-service, which is asked in a transaction.
      await acts.findBusiness(businessId, actor.requestId);
      return setPublisherBan(acts, { actor, businessId, isBanned, reason });
    },
    listGrants: async (businessId: number) => (await open()).acts.grants.list(businessId),
    disconnectGrant: async (businessId: number, grantId: string) => {
      const { disconnectGrant, acts } = await open();
      return disconnectGrant(acts, { actor, businessId, grantId });
    },
  };
}

function settingsOf(given: NewApplication) {
  return {
    name: given.name ?? 'Shop',
    description: given.description ?? 'Sends orders out',
    redirectUris: [...(given.redirectUris ?? ['https://app.example/callback'])],
    scopes: [...(given.scopes ?? ['business:read', 'orders:read'])],
    // Where tests call from.
    ipWhitelist: [...(given.ipWhitelist ?? ['127.0.0.1'])],
    webhooksEnabled: false,
    webhookEvents: [] as string[],
    allowedOrigins: [...(given.allowedOrigins ?? [])],
    repeatLostRefresh: given.repeatLostRefresh ?? false,
  };
}
