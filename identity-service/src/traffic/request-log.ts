import { isIP } from 'node:net';
import { maxInvalidField } from '@platform/protos/vocabulary';
import { z } from 'zod';
import type { Page } from '../platform/pagination.ts';
import { maxInstant } from '../platform/text.ts';
import { oauthPaths } from './oauth-reason.ts';

/** Kinds of credentials in records. `client`: the application of an OAuth request. */
export const credentialTypes = ['secret_key', 'restricted_key', 'access_token', 'client'] as const;

/** A refused or failed API or OAuth request: status 400 or above, 303 where an authorization request failed. Contains no secret. */
export interface RequestRecord {
  /** X-Request-Id of the response. */
  readonly id: string;
  /** End of the response, milliseconds since 1970. */
  readonly at: number;
  /** Business of the credential; undefined, like the other fields of the credential, when it is unknown. */
  readonly businessId: number | undefined;
  readonly method: string;
  /** Without the query, at most 200 characters. */
  readonly path: string;
  /** Route of the gateway's route table; `none` for unknown paths. */
  readonly route: string;
  readonly status: number;
  /** Refusal of the gateway, `InvalidReason`, or `OAuthReason`; undefined for another response of the upstream. */
  readonly refusal: string | undefined;
  readonly credentialType: (typeof credentialTypes)[number] | undefined;
  /** Id of the API key or access token, or the client ID. */
  readonly credentialId: string | undefined;
  /** Id of the API key or Grant; of the application of an OAuth request. */
  readonly limitId: string | undefined;
  readonly clientIp: string;
  /** Scope of the route; undefined when it requires none. */
  readonly requiredScope: string | undefined;
  /** Parameter, field or header that an `InvalidReason` is about; undefined where the response names none. */
  readonly invalidField: string | undefined;
  /** Of the client secret that was sent to an OAuth endpoint. */
  readonly secretLastFour: string | undefined;
  /** `error: error_description` of an OAuth endpoint's response. */
  readonly publicError: string | undefined;
  /** Requests that this record stands for; more than 1 when too many failed to record each. */
  readonly requests: number;
}

const maxRecords = 1_000;

/** A field that is empty when unknown. */
const optional = (shape: RegExp) =>
  z
    .string()
    .regex(shape)
    .transform((text) => text || undefined);

const invalidFieldShape = new RegExp(`^[\\x20-\\x7e]{0,${maxInvalidField}}$`);

const identifier = optional(/^[0-9A-Za-z_-]{0,64}$/);

const requestRecordSchema = z
  .object({
    id: z.uuid(),
    at: z.int().min(0).max(maxInstant),
    businessId: z
      .int()
      .min(0)
      .transform((id) => id || undefined),
    method: z.string().regex(/^[A-Z-]{1,32}$/),
    path: z.string().regex(/^[\x20-\x7e]{0,200}$/),
    route: z.string().max(200),
    status: z.int().min(400).max(599),
    refusal: optional(/^[0-9A-Za-z_]{0,64}$/),
    credentialType: z
      .enum(['secret_key', 'restricted_key', 'access_token', ''])
      .transform((type) => type || undefined),
    credentialId: identifier,
    limitId: identifier,
    clientIp: z.string().refine((text) => isIP(text) !== 0, 'must be an IP address'),
    requiredScope: optional(/^[a-z:_]{0,64}$/),
    invalidField: optional(invalidFieldShape),
  })
  .transform(
    (record): RequestRecord => ({
      ...record,
      secretLastFour: undefined,
      publicError: undefined,
      requests: 1,
    }),
  );

/** One report of a gateway. */
export const requestBatchSchema = z.array(requestRecordSchema).max(maxRecords);

/** A request of an application to an OAuth endpoint that the gateway refused because it came over http. */
export const exposedRequestSchema = z.object({
  requestId: z.uuid(),
  at: z.int().min(0).max(maxInstant),
  route: z.enum([oauthPaths.token, oauthPaths.revoke]),
  clientIp: z.string().refine((text) => isIP(text) !== 0, 'must be an IP address'),
  authorization: z
    .string()
    .max(16_384)
    .transform((text) => text || undefined),
  contentType: z.string().max(1_024),
  body: z.string().max(16_384),
});

export type ExposedRequest = z.output<typeof exposedRequestSchema>;

/** Filter and page of a list of records. */
export interface RequestQuery extends Page {
  /** API key, Grant, or application for its OAuth requests. */
  readonly limitId?: string | undefined;
  readonly statusClass?: '4xx' | '5xx' | undefined;
  readonly status?: number | undefined;
  /** As in the record, such as `insufficient_scope`. */
  readonly refusal?: string | undefined;
  /** Lowest `at`, inclusive. */
  readonly from?: number | undefined;
  /** Highest `at`, exclusive. */
  readonly to?: number | undefined;
}
