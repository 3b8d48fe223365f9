import { isIP } from 'node:net';
import { z } from 'zod';
import type { CredentialType } from '../authorization/credential.ts';
import type { Page } from '../platform/pagination.ts';

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

const maxRecords = 1_000;

/** The empty string stands for what is not known. */
const optional = (shape: RegExp) =>
  z
    .string()
    .regex(shape)
    .transform((text) => text || undefined);

const identifier = optional(/^[0-9A-Za-z_-]{0,64}$/);

const requestRecordSchema = z.object({
  id: z.uuid(),
  at: z.int().min(0).max(253_402_300_799_999),
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
}) satisfies z.ZodType<RequestRecord>;

/** What a gateway reports at once. */
export const requestBatchSchema = z.array(requestRecordSchema).max(maxRecords);

/** Which records of a business, newest first. */
export interface RequestQuery extends Page {
  /** Of this API key or Grant only. */
  readonly limitId?: string | undefined;
  readonly statusClass?: '4xx' | '5xx' | undefined;
  /** A word of the gateway, as `insufficient_scope`. */
  readonly refusal?: string | undefined;
  /** Answered at this moment or later; milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Answered before this moment. */
  readonly to?: number | undefined;
}
