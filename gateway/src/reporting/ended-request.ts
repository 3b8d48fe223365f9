import type { Attribution } from '../principal.ts';

/** A request that has ended, for its log line and its record. Holds no secret. */
export interface EndedRequest {
  readonly requestId: string;
  /** Where its trace is exported; undefined otherwise. */
  readonly traceId: string | undefined;
  readonly method: string;
  /** Without the query; printable and without secrets: see `redactPath`. */
  readonly path: string;
  /** Path of the route; `none` without one. */
  readonly route: string;
  /** 499 where the client closed the connection before the response (as in nginx). */
  readonly status: number;
  /** Milliseconds from the start of the request to the end of the response. */
  readonly ms: number;
  /** Milliseconds until the head of the upstream's response; undefined where the request was not forwarded. */
  readonly upstreamMs: number | undefined;
  /** Bytes of the response's body. */
  readonly responseBytes: number;
  readonly userAgent: string | undefined;
  readonly clientIp: string;
  /** Undefined when the credential is unknown. */
  readonly principal: Attribution | undefined;
  /** Empty without a required scope. */
  readonly requiredScope: string;
  /** Reason of a response by the gateway itself. */
  readonly refusal: string | undefined;
  /** The invalid part of the request: see `parseInvalidInput`. */
  readonly invalidInput: string | undefined;
  /** Body of an error of the API, as it was sent. */
  readonly errorBody: string | undefined;
  /** Whether a sandbox asked for this response. */
  readonly isSimulated: boolean;
  /** Whether the response was sent completely. */
  readonly complete: boolean;
  /** End of the response, milliseconds since 1970. */
  readonly at: number;
}
