import type { CredentialType } from '../authorization/credential.ts';

/** A request to the API that was answered with 400 or more. Holds no secret. */
export interface RequestRecord {
  /** The X-Request-Id of its answer. */
  readonly id: string;
  /** End of the answer, milliseconds since 1970. */
  readonly at: number;
  /** Whose credential it was; undefined when that is unknown, as are the other facts of the credential. */
  readonly businessId: number | undefined;
  readonly method: string;
  /** Without its query, at most 200 characters. */
  readonly path: string;
  /** Row of the gateway's route table; `none` for paths without a row. */
  readonly route: string;
  readonly status: number;
  /** Why the gateway itself answered; undefined when the service behind it did. */
  readonly refusal: string | undefined;
  readonly credentialType: CredentialType | undefined;
  readonly credentialId: string | undefined;
  /** The API key or the Grant. */
  readonly limitId: string | undefined;
  readonly clientIp: string;
  /** Scope of the route; undefined where it asks for none. */
  readonly requiredScope: string | undefined;
}
