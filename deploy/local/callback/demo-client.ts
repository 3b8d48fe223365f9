/** The demo application as a client of the platform. */
export interface DemoClient {
  /** Origin of the platform; its OAuth issuer. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}
