const scopes = {
  'business:read': 'See the profile of the business',
  'events:read': 'See what happens in the business',
  'orders:read': 'See orders',
  'orders:write': 'Create orders and change existing ones',
};

/** How callers show who they are. */
export function securitySchemes(publicUrl: string) {
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API key, made in the dashboard under Settings > Developers > API Keys: `sk_…` may do everything, `rk_…` what ' +
        'its scopes allow. An access token of OAuth (`at_…`) goes into the same header.',
    },
    oauth2: {
      type: 'oauth2',
      description: 'An application acts for a business that has approved it. PKCE with S256 is required.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${publicUrl}/oauth/authorize`,
          tokenUrl: `${publicUrl}/v2/oauth/token`,
          refreshUrl: `${publicUrl}/v2/oauth/token`,
          scopes,
        },
      },
    },
    clientSecret: {
      type: 'http',
      scheme: 'basic',
      description:
        'Client ID and client secret of an application. They may stand in the body instead; never in both places.',
    },
  };
}

/** Of an operation that API keys and access tokens with the scope may call. */
export const bearerWith = (scope: keyof typeof scopes) => [{ apiKey: [scope] }, { oauth2: [scope] }];

/** Of an operation for applications: HTTP Basic, or nothing in the header and both in the body. */
export const clientOnly = [{ clientSecret: [] }, {}];
