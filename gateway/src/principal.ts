import type { CredentialType } from '@platform/protos/identity';

/** The business and credential behind a request. */
export interface Principal {
  readonly businessId: number;
  readonly credentialType: CredentialType;
  readonly credentialId: string;
  /** Rate limit counter: the API key or the Grant. */
  readonly limitId: string;
  /** Origins whose pages may read the response (CORS); empty for an API key. */
  readonly allowedOrigins: readonly string[];
}
