import { z } from 'zod';
import type { TestApplication } from './applications.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';
import { signUpVerified, type TestPerson } from './people.ts';
import type { Platform } from './platform.ts';

/** Fields of the form for an application in the dashboard. */
export const settings = {
  name: 'Shop',
  description: 'Sends orders out',
  redirectUris: ['https://shop.example/callback'],
  scopes: ['orders:read', 'business:read'],
  ipWhitelist: ['127.0.0.1', '192.0.2.0/24'],
};

const record = z.looseObject({
  id: z.string(),
  clientId: z.string(),
  secrets: z.array(z.looseObject({ id: z.string() })),
});

/** A response with a client secret. */
export const withSecret = z.object({ application: record, clientSecret: z.string() });

export interface RegisteredApplication extends TestApplication {
  /** As the dashboard shows it. */
  readonly application: z.output<typeof record>;
}

/** Registers an application in the dashboard of its owner. @throws when it is refused or its response is cacheable */
export async function register(
  { own }: Dashboard,
  { businessId }: TestPerson,
  changes: object = {},
): Promise<RegisteredApplication> {
  const response = await own('POST', '/applications', { ...settings, ...changes });
  if (response.status !== 201 || response.headers['cache-control'] !== 'no-store') {
    throw new Error(
      `Not 201 and no-store, but ${response.status} ${response.headers['cache-control']}:\n${response.text}`,
    );
  }
  const { application, clientSecret } = withSecret.parse(response.json());
  const { id, clientId } = application;
  const [redirectUri = ''] = settings.redirectUris;
  return { id, clientId, clientSecret, redirectUri, businessId, application };
}

/** A person with an empty, verified business, which has room for three applications. */
export async function newOwner(platform: Platform): Promise<{ person: TestPerson; dashboard: Dashboard }> {
  const person = await signUpVerified(platform);
  return { person, dashboard: await openDashboard(person, person.browser) };
}

/** A new owner's application. */
export async function newApplication(platform: Platform, changes: object = {}) {
  const owner = await newOwner(platform);
  return { ...owner, app: await register(owner.dashboard, owner.person, changes) };
}
