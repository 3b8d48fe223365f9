import type { TestApplication } from './applications.ts';
import { createBrowser } from './browser.ts';
import { returned, submitConsent } from './oauth.ts';
import { signUpVerified } from './people.ts';
import type { Platform } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

/** A platform with a person who owns a verified business, and the application that a client library acts for. */
export interface ClientPlatform {
  readonly platform: Platform;
  readonly application: TestApplication;
  /** Business that the person owns. */
  readonly businessId: number;
  /**
   * Opens the authorization URL of a library in a new browser, logs in as the person, and approves or denies on the
   * consent page. Disconnects earlier approvals first. Resolves to the URL of the final redirect.
   */
  visit(authorizationUrl: string | URL, decision?: 'approve' | 'deny'): Promise<URL>;
  /** Disconnects the application as the person. */
  disconnect(): Promise<void>;
  /** Status of an API request with the token, from every gateway. */
  apiStatuses(accessToken: string): Promise<number[]>;
}

/** Scopes that the application asks for, in the order in which tokens name them. */
export const scopes = ['business:read', 'orders:read'] as const;

/** Redirect URIs that the application has registered besides its first. */
export const otherRedirectUris = ['https://app.example', 'https://app.example/callback?tenant=7'] as const;

interface Options {
  /** Made by the caller; the shared one where absent. */
  readonly platform?: Platform;
  /** More that the application registers. */
  readonly redirectUris?: readonly string[];
}

export async function startClientPlatform(options: Options = {}): Promise<ClientPlatform> {
  const platform = options.platform ?? (await sharedPlatform());
  const owner = await signUpVerified(platform);
  const application = await platform.createApplication({
    businessId: platform.businessId,
    redirectUris: ['http://127.0.0.1:9/callback', ...otherRedirectUris, ...(options.redirectUris ?? [])],
    scopes,
  });
  const { businessId } = owner;
  const disconnect = async () => {
    for (const { id } of await platform.listGrants(businessId))
      await platform.disconnectGrant(businessId, id);
  };
  return {
    platform,
    application,
    businessId,
    disconnect,
    visit: async (authorizationUrl, decision = 'approve') => {
      await disconnect();
      const { protocol, port, pathname, search } = new URL(authorizationUrl);
      // The browser speaks http, which the first gateway understands where another one ends TLS.
      const browser = createBrowser(protocol === 'https:' ? (platform.gatewayPorts[0] ?? 0) : Number(port));
      await browser.open(`${pathname}${search}`);
      const { email, password } = owner;
      await browser.submitAndFollow('/login', { email, password });
      const done = await submitConsent(browser, decision);
      returned(done);
      return new URL(done.headers.location ?? '');
    },
    apiStatuses: (key) =>
      Promise.all(
        platform.gateways.map(async (_, gateway) => {
          const { status } = await platform.me(key, gateway);
          return status;
        }),
      ),
  };
}
