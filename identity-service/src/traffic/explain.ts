import { isInvalidReason, isRefusal } from '@platform/protos/vocabulary';
import { credentialRefusals, type Explanations } from './explain-credential.ts';
import { explainInvalid, notJson } from './explain-invalid.ts';
import { explainOAuth } from './explain-oauth.ts';
import type { Explanation, RequestWithClient } from './explanation.ts';
import { isOAuthReason } from './oauth-reason.ts';
import type { RequestGroup, RequestRecord } from './request-log.ts';
import type { Client } from './usage.ts';

const repeat = 'Repeat the request after the time in Retry-After. No change is needed.';

const malformed = { title: 'The request is malformed', anchor: 'bad_request' };

const unread = { title: 'The request could not be read', anchor: 'unread' };

/** Explanations of refusals before authorization and of failures to forward. */
const requestRefusals = {
  authorization_unavailable: () => ({
    title: 'The credential could not be checked',
    problem: 'The authorization service was unavailable, so the credential is neither valid nor invalid.',
    advice: repeat,
    anchor: 'unavailable',
  }),
  body_too_large: () => ({
    title: 'The body is too large',
    problem: 'The body is larger than the gateway accepts.',
    advice: 'Send a smaller body.',
    anchor: 'payload_too_large',
  }),
  upstream_timeout: () => ({
    title: 'The service did not respond in time',
    problem:
      'The service received the request and did not respond in time. If it was a write, it may have happened.',
    advice: 'Repeat a read. Repeat the creation of an order with the same Idempotency-Key.',
    anchor: 'gateway_timeout',
  }),
  upstream_saturated: () => ({
    title: 'The service was busy',
    problem: 'Too many requests were waiting for the service.',
    advice: repeat,
    anchor: 'unavailable',
  }),
  upstream_failed: () => ({
    title: 'The service did not respond',
    problem: 'The service closed the connection or was restarting. If it was a write, it may have happened.',
    advice: 'Repeat the request; repeat the creation of an order with the same Idempotency-Key.',
    anchor: 'bad_gateway',
  }),
  unexpected: () => ({
    title: 'Internal error of the gateway',
    problem: 'An unexpected error occurred in the gateway.',
    advice: 'Repeat the request once. If it fails again, write to {support} with its request id.',
    anchor: 'internal_server_error',
  }),
  ambiguous_path: () => ({
    ...malformed,
    problem: 'The path is ambiguous: it contains “//”, “/../”, encoded slashes or similar.',
    advice: 'Send the path exactly as in the reference.',
  }),
  authorization_header: () => ({
    ...malformed,
    problem: 'The request has more than one Authorization header.',
    advice: 'Send one. A proxy or a library may add the second.',
  }),
  host_header: () => ({
    ...malformed,
    problem: 'The Host header is missing, repeated or invalid, or the request was meant for another host.',
    advice: 'HTTP libraries send it automatically. Check the proxies between your program and the gateway.',
  }),
  http_version: () => ({
    ...malformed,
    problem: 'The request was not HTTP/1.1.',
    advice: 'Most libraries send HTTP/1.1. Check the proxies between your program and the gateway.',
  }),
  content_length: () => ({
    ...malformed,
    problem: 'The Content-Length header is repeated or not a number.',
    advice: 'Let your HTTP library set it.',
  }),
  framing: () => ({
    ...unread,
    problem: 'The length of the body is ambiguous.',
    advice: 'Let your HTTP library set Content-Length, and do not set Transfer-Encoding.',
  }),
  length_required: () => ({
    ...unread,
    problem: 'A request with this method requires a Content-Length.',
    advice: 'Let your HTTP library set it; it is 0 without a body.',
  }),
  body_too_slow: () => ({
    ...unread,
    title: 'The request did not arrive in time',
    problem: 'The request did not arrive in time.',
    advice: 'Send the whole body at once. The network may be slow, or the program may have been paused.',
  }),
  overloaded: () => ({
    title: 'The gateway was busy',
    problem: 'The gateway had reached its limit of concurrent requests.',
    advice: repeat,
    anchor: 'unavailable',
  }),
  stopping: () => ({
    title: 'The gateway was stopping',
    problem: 'The request waited for an event while the gateway was stopped, as in an update.',
    advice: 'Repeat the request with the same cursor. No event is lost.',
    anchor: 'unavailable',
  }),
  bodies_saturated: () => ({
    title: 'Too many bodies at once',
    problem: 'Too many request bodies were in transfer, from this address or in total.',
    advice: 'Send fewer large requests at the same time, and repeat this one after the time in Retry-After.',
    anchor: 'unavailable',
  }),
  upstream_malformed: () => ({
    title: 'Invalid response of the service',
    problem:
      'The response of the service was invalid and not forwarded. If it was a write, it may have happened.',
    advice: 'Repeat the request once. If it fails again, write to {support} with its request id.',
    anchor: 'bad_gateway',
  }),
  expectation: () => ({
    ...malformed,
    problem: 'The Expect header is not 100-continue.',
    advice: 'Remove the Expect header.',
  }),
  parse_error: () => ({
    ...unread,
    problem: 'The data that was sent is not HTTP.',
    advice: 'Check your program and the proxies between it and the gateway.',
  }),
  origin_not_allowed: () => ({
    title: 'The origin is not allowed',
    problem:
      'The handshake of a WebSocket had an Origin that the application of the credential does not list.',
    advice: 'Add the origin of the page to the application, or send no Origin where no page is involved.',
    anchor: 'origin_not_allowed',
  }),
  no_route: ({ record }) => ({
    title: 'No such path',
    problem: `The path ${record.path} does not exist.`,
    advice: 'Compare it with the reference. Paths match exactly, without a trailing slash.',
    anchor: 'not_found',
  }),
  method: ({ record }) => ({
    title: `${record.method} is not allowed here`,
    problem: `The path ${record.path} does not support ${record.method}.`,
    advice: 'The Allow header of the response lists the supported methods.',
    anchor: 'method_not_allowed',
  }),
} as const satisfies Explanations;

const byRefusal: Required<Explanations> = { ...credentialRefusals, ...requestRefusals };

/** Explanation of a request that the HTTP parser refused, or of a refusal newer than this service. */
const unknownRefusal: Explanation = {
  ...unread,
  problem: 'The gateway could not read the request.',
  advice: 'HTTP libraries do not send such requests. Check the proxies between your program and the gateway.',
};

function explainRefusal(refusal: string, request: RequestWithClient): Explanation {
  if (isOAuthReason(refusal)) return explainOAuth(refusal, request);
  if (isInvalidReason(refusal)) return explainInvalid(refusal, request.record);
  return isRefusal(refusal) ? byRefusal[refusal](request) : unknownRefusal;
}

/** Explanations of statuses of the upstream. */
const byStatus: Readonly<Record<number, Explanation>> = {
  400: {
    title: 'The request is invalid',
    problem: 'A field or parameter is missing, unknown or of the wrong type.',
    advice: 'The error in the response says what is wrong. Correct it and send the request again.',
    anchor: 'bad_request',
  },
  403: {
    title: 'The business is banned',
    problem: 'The business is banned. It can only read its own record.',
    advice: 'An owner of the business should write to {support}.',
    anchor: 'business_banned',
  },
  404: {
    title: 'No such order',
    problem: 'The business of this credential has no order with this id.',
    advice: 'Check the id, which is not the order number, and that the key belongs to the right business.',
    anchor: 'not_found',
  },
  409: {
    title: 'Conflict with the current state',
    problem: 'The request conflicts with what is stored. The response names the conflict.',
    advice:
      'Nothing was changed. Do not repeat the same request: change it as the error in the response says.',
    anchor: 'conflict',
  },
  410: {
    title: 'Events have been missed',
    problem: 'Events after the cursor are no longer kept.',
    advice: 'Read the records themselves, then begin again without the cursor.',
    anchor: 'gone',
  },
  412: {
    title: 'The record has changed',
    problem: 'The record does not match If-Match or If-None-Match.',
    advice: 'Read it again and use its current ETag. Nothing was changed.',
    anchor: 'precondition_failed',
  },
  413: {
    title: 'The body is too large',
    problem: 'The body is larger than the operation accepts.',
    advice: 'Send a smaller body.',
    anchor: 'payload_too_large',
  },
  415: notJson,
  422: {
    title: 'The request cannot be processed',
    problem: 'The request is well-formed, but its content is not accepted.',
    advice: 'The error in the response says why.',
    anchor: 'unprocessable',
  },
  499: {
    title: 'The client closed the connection',
    problem: 'The client did not wait for the response. If it was a write, it may have happened.',
    advice:
      'Give requests a time-out of at least 30 seconds. Repeat the creation of an order with the same Idempotency-Key.',
    anchor: 'gateway_timeout',
  },
  503: {
    title: 'The service was unavailable',
    problem: 'The service could not reach its database.',
    advice: 'Repeat the request after the time in Retry-After. No change is needed.',
    anchor: 'unavailable',
  },
};

const otherClientError: Explanation = {
  title: 'The service refused the request',
  problem: 'The service did not accept the request.',
  advice: 'The error in the response says why.',
  anchor: 'bad_request',
};

const otherServerError: Explanation = {
  title: 'Internal error of the service',
  problem: 'An unexpected error occurred in the service.',
  advice:
    'Repeat the request once, a write with its Idempotency-Key. If it fails again, write to {support} with its request id.',
  anchor: 'internal_server_error',
};

/** Explains a response of the upstream. */
function explainStatus(status: number): Explanation {
  return byStatus[status] ?? (status < 500 ? otherClientError : otherServerError);
}

/** Explains why a request was refused or failed, and how to fix it. */
export function explainRequest(request: RequestWithClient): Explanation {
  const { refusal, status } = request.record;
  return refusal === undefined ? explainStatus(status) : explainRefusal(refusal, request);
}

/** Fields of requests that a group does not have. */
const unknownRequest: RequestRecord = {
  id: '',
  at: 0,
  businessId: undefined,
  method: '',
  path: '',
  route: '',
  status: 0,
  durationMs: 0,
  upstreamMs: undefined,
  responseBytes: 0,
  userAgent: '',
  refusal: undefined,
  error: undefined,
  credentialType: undefined,
  credentialId: undefined,
  limitId: undefined,
  clientIp: '',
  requiredScope: undefined,
  invalidField: undefined,
  secretLastFour: undefined,
};

/** Explains what the requests of a group have in common. Only its title and advice do not depend on one of them. */
export function explainGroup(
  group: Pick<RequestGroup, 'method' | 'route' | 'status' | 'refusal'>,
  client: Client | undefined,
  credentialType?: RequestRecord['credentialType'],
): Explanation {
  return explainRequest({
    record: { ...unknownRequest, ...group, path: group.route, credentialType },
    client,
  });
}
