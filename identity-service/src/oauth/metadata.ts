import { scopes } from '../authorization/scope.ts';
import { grantTypeNames } from './token/grant-types.ts';

const clientAuthMethods = ['client_secret_basic', 'client_secret_post'];

/**
 * What this authorization server supports (RFC 8414, RFC 9207).
 * @param issuer origin under which everybody knows the platform
 * @param documentation page for integrators; relative to the issuer where it is no URL
 */
export function serverMetadata(issuer: string, documentation: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/v2/oauth/token`,
    token_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint: `${issuer}/v2/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypeNames,
    code_challenge_methods_supported: ['S256'],
    scopes_supported: scopes,
    authorization_response_iss_parameter_supported: true,
    service_documentation: new URL(documentation, issuer).href,
  };
}
