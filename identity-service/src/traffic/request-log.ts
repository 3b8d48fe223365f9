import { isIP } from 'node:net';
import { maxInvalidField } from '@platform/protos/vocabulary';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import type { Page } from '../platform/pagination.ts';
import { maxInstant } from '../platform/text.ts';
import { oauthPaths } from './oauth-reason.ts';

/** Kinds of credentials in records. `client`: the application of an OAuth request. */
export const credentialTypes = ['secret_key', 'restricted_key', 'access_token', 'client'] as const;

/** A request to the API or to an OAuth endpoint. Contains no secret and no body. */
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
  /** 303 where an authorization request ended at the redirect URI; 499 where the client did not wait. */
  readonly status: number;
  /** Milliseconds to the end of the response. */
  readonly durationMs: number;
  /** Milliseconds until the head of the upstream's response; undefined where the gateway did not forward the request. */
  readonly upstreamMs: number | undefined;
  /** Of the body, as sent. */
  readonly responseBytes: number;
  /** At most 200 characters; empty without one. */
  readonly userAgent: string;
  /** Refusal of the gateway, `InvalidReason`, or `OAuthReason`; undefined for another response of the upstream. */
  readonly refusal: string | undefined;
  /** Text of the error as it was sent; of an OAuth endpoint `error: error_description`. */
  readonly error: string | undefined;
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
}

/** Requests of a business in one minute that are not in the log, because it could not keep up. */
export interface UnlistedRequests {
  readonly businessId: number;
  /** Start of the minute, milliseconds since 1970. */
  readonly minute: number;
  readonly requests: number;
}

/** Requests that a reporter adds to the log at once. */
export interface RequestBatch {
  /** UUID; a repeated one adds nothing. */
  readonly batchId: string;
  readonly records: readonly RequestRecord[];
  readonly unlisted: readonly UnlistedRequests[];
}

const maxRecords = 1_000;

/** A field that is empty when unknown. */
const optional = (shape: RegExp) =>
  z
    .string()
    .regex(shape)
    .transform((text) => text || undefined);

const invalidFieldShape = new RegExp(`^[\\x20-\\x7e]{0,${maxInvalidField}}$`);

const printable200 = /^[\x20-\x7e]{0,200}$/;

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
    path: z.string().regex(printable200),
    route: z.string().max(200),
    status: z.int().min(100).max(599),
    durationMs: z.number().min(0),
    upstreamMs: z.number().transform((ms) => (ms < 0 ? undefined : ms)),
    responseBytes: z.int().min(0),
    userAgent: z.string().regex(printable200),
    refusal: optional(/^[0-9A-Za-z_]{0,64}$/),
    error: optional(/^[\x20-\x7e]{0,300}$/),
    credentialType: z
      .enum(['secret_key', 'restricted_key', 'access_token', ''])
      .transform((type) => type || undefined),
    credentialId: identifier,
    limitId: identifier,
    clientIp: z.string().refine((text) => isIP(text) !== 0, 'must be an IP address'),
    requiredScope: optional(/^[a-z:_]{0,64}$/),
    invalidField: optional(invalidFieldShape),
  })
  .transform((record): RequestRecord => ({ ...record, secretLastFour: undefined }));

const unlistedSchema = z.object({
  businessId: z.int().min(1),
  minute: z.int().min(0).max(maxInstant),
  requests: z.int().min(1),
});

/** One report of a gateway. */
export const requestBatchSchema = z.object({
  batchId: z.uuid(),
  records: z.array(requestRecordSchema).max(maxRecords),
  unlisted: z.array(unlistedSchema).max(maxRecords),
});

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

/** Which requests of a business. */
export interface RequestFilter {
  /** API key, Grant, or application for its OAuth requests. */
  readonly limitId?: string | undefined;
  readonly statusClass?: StatusClass | undefined;
  readonly status?: number | undefined;
  /** Status that stands for a reason, beside any other. */
  readonly reasonStatus?: number | undefined;
  /** As in the record, such as `insufficient_scope`; `none` for those without one. */
  readonly refusal?: string | undefined;
  readonly method?: string | undefined;
  readonly route?: string | undefined;
  readonly clientIp?: string | undefined;
  /** Part of the path, the User-Agent or the error, in any case; or a whole request id or address. */
  readonly text?: string | undefined;
  /** Lowest `at`, inclusive. */
  readonly from?: number | undefined;
  /** Highest `at`, exclusive. */
  readonly to?: number | undefined;
}

export type StatusClass = '2xx' | '4xx' | '5xx';

/** Lowest and highest status of a class: responses below 400 count as `2xx`, as in the usage. */
export const statusesOf: Readonly<Record<StatusClass, readonly [number, number]>> = {
  '2xx': [100, 399],
  '4xx': [400, 499],
  '5xx': [500, 599],
};

/** Filter and page of a list of records. */
export interface RequestQuery extends RequestFilter, Page {}

/** A span of time, milliseconds since 1970: `from` inclusive, `to` exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Requests that failed alike: the same reason, route and credential. */
export interface RequestGroup {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly refusal: string | undefined;
  readonly limitId: string | undefined;
  readonly requests: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The latest of them. */
  readonly lastId: string;
  /** Requests in each twelfth of the span. */
  readonly trend: readonly number[];
}

/** Durations of the requests to one route. */
export interface RouteDurations {
  readonly method: string;
  readonly route: string;
  readonly requests: number;
  /** Responses with a status of 500 or above. */
  readonly failures: number;
  /** Milliseconds that half, 95 % and 99 % of the requests took at most. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Requests that are alike in everything that decides about them: the same demand, as one credential made it. */
export interface RequestDemand {
  /** API key or Grant. */
  readonly limitId: string;
  readonly method: string;
  readonly route: string;
  readonly clientIp: string;
  readonly requiredScope: string | undefined;
  readonly refusal: string | undefined;
  readonly requests: number;
  /** End of the latest, milliseconds since 1970. */
  readonly lastAt: number;
  /** When each began, milliseconds since 1970, in any order; empty unless asked for. */
  readonly startedAt: Float64Array;
}

/** An API key or Grant, and the business whose requests it makes. */
export interface LoggedCredential {
  readonly limitId: string;
  readonly businessId: number;
}

/** Which part of a span the log has. */
export interface LogCoverage {
  /** Start of the first minute on record, milliseconds since 1970, which may lie before the span; undefined without one. */
  readonly since: number | undefined;
  /** Minutes of the span with requests that are not in the log, because it could not keep up. */
  readonly missedMinutes: number;
}

/** Parts of the span of a group's trend. */
export const trendParts = 12;

/** Groups or routes that are listed at most. */
export const maxGroups = 100;

/** Demands that are read at most. */
export const maxDemands = 10_000;

/** The error of a search that takes longer than a person waits. */
export function searchTooSlow(cause: unknown): AppError {
  const text = 'there are too many requests to search at once: choose a shorter time, or more filters';
  return new AppError('failed_precondition', 'search_too_slow', text, cause);
}

/** Keeps the requests of businesses, and finds them. Lists, groups and durations may throw `searchTooSlow`. */
export interface RequestLog {
  /** Adds a batch once, and the notices about credentials that were sent over http. */
  add(batch: RequestBatch): Promise<void>;
  /** A page, newest first. */
  list(businessId: number, query: RequestQuery): Promise<RequestRecord[]>;
  /**
   * A request of the business, or one of an unknown business: its id is known only to the client that got the response.
   * Never one of another business.
   */
  find(businessId: number, id: string): Promise<RequestRecord | undefined>;
  /** The request of any business with this id, for operators. */
  findAny(id: string): Promise<RequestRecord | undefined>;
  /**
   * Failed requests, authorization requests that failed with a redirect included, by reason, route and credential, the most
   * frequent first; `maxGroups` at most.
   */
  groups(businessId: number, filter: RequestFilter & Span): Promise<RequestGroup[]>;
  /** Durations by route, the most frequent first; `maxGroups` at most. */
  durations(businessId: number, filter: RequestFilter & Span): Promise<RouteDurations[]>;
  /** Minutes of the span with requests that are not in the log, newest first; 1,000 at most. */
  unlisted(businessId: number, span: Span): Promise<UnlistedRequests[]>;
  /** Demands of API keys or Grants, the most frequent first, `maxDemands` at most; `others`: requests of all others. */
  demands(
    credentials: readonly LoggedCredential[],
    span: Span,
    options: { readonly withTimes: boolean },
  ): Promise<{ readonly demands: RequestDemand[]; readonly others: number }>;
  /** The log of some businesses. */
  coverage(businessIds: readonly number[], span: Span): Promise<LogCoverage>;
}
