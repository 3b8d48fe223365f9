import { isRefusal } from '@platform/protos/vocabulary';
import { credentialRefusals, type Explanations } from './explain-credential.ts';
import type { Explanation, RequestWithClient } from './explanation.ts';

const repeat =
  'Repeat the request after the time that Retry-After says. There is nothing that you need to change.';

const malformed = { title: 'The request is malformed', anchor: 'bad_request' };

const unread = { title: 'The request could not be read', anchor: 'unread' };

/** Refusals of the request itself, whatever its credential, and of forwarding it. */
const requestRefusals = {
  authorization_unavailable: () => ({
    title: 'The credential could not be checked',
    problem: 'What checks keys and tokens did not answer at that moment, so nothing is known about this one.',
    advice: repeat,
    anchor: 'unavailable',
  }),
  body_too_large: () => ({
    title: 'The body is too large',
    problem: 'The body is larger than the gateway lets through.',
    advice: 'Send less at once.',
    anchor: 'payload_too_large',
  }),
  upstream_timeout: () => ({
    title: 'The service did not answer in time',
    problem: 'The service has the request and did not answer in time. A write may still have happened.',
    advice: 'Repeat a read. Repeat a new order with the same Idempotency-Key.',
    anchor: 'gateway_timeout',
  }),
  upstream_saturated: () => ({
    title: 'The service was busy',
    problem: 'Too many requests were waiting for the service.',
    advice: repeat,
    anchor: 'unavailable',
  }),
  upstream_failed: () => ({
    title: 'The service did not answer',
    problem:
      'The service that should have answered broke off or was being restarted. A write may have happened.',
    advice: 'Repeat the request, a new order with the same Idempotency-Key.',
    anchor: 'bad_gateway',
  }),
  unexpected: () => ({
    title: 'A fault of ours',
    problem: 'Something went wrong in the gateway.',
    advice: 'Repeat the request once. If it fails again, send us its request id.',
    anchor: 'internal_server_error',
  }),
  ambiguous_path: () => ({
    ...malformed,
    problem: 'The path can be read in more than one way: it has “//”, “/../”, encoded slashes or the like.',
    advice: 'Send the path exactly as the reference has it.',
  }),
  authorization_header: () => ({
    ...malformed,
    problem: 'There was more than one Authorization header.',
    advice: 'Send one. A proxy or a library may be adding the second.',
  }),
  host_header: () => ({
    ...malformed,
    problem: 'The Host header is missing, is there twice, or is not a host.',
    advice: 'HTTP libraries send it by themselves. Look at what stands between your program and us.',
  }),
  http_version: () => ({
    ...malformed,
    problem: 'The request did not come as HTTP/1.1.',
    advice: 'HTTP/1.1 is what nearly every library speaks. Look at what stands between your program and us.',
  }),
  content_length: () => ({
    ...malformed,
    problem: 'The Content-Length header is there twice, or is not a number.',
    advice: 'Let your HTTP library set it.',
  }),
  framing: () => ({
    ...unread,
    problem: 'It was not clear where the body ends.',
    advice: 'Let your HTTP library set Content-Length, and leave Transfer-Encoding alone.',
  }),
  length_required: () => ({
    ...unread,
    problem: 'A request with this method needs a Content-Length.',
    advice: 'Let your HTTP library set it; it is 0 where there is no body.',
  }),
  body_too_slow: () => ({
    ...unread,
    problem: 'The request did not arrive in time.',
    advice: 'Send the whole body at once. A slow network, or a program that was stopped, may be behind it.',
  }),
  overloaded: () => ({
    title: 'The gateway was busy',
    problem: 'The gateway had more requests than it could serve.',
    advice: repeat,
    anchor: 'unavailable',
  }),
  bodies_saturated: () => ({
    title: 'Too many bodies at once',
    problem: 'Too many request bodies were being received, from this address or in all.',
    advice: 'Send fewer large requests at the same time, and repeat this one after Retry-After.',
    anchor: 'unavailable',
  }),
  upstream_malformed: () => ({
    title: 'The service responded badly',
    problem: 'The response of the service could not be passed on. A write may have happened.',
    advice: 'Repeat the request once. If it fails again, send us its request id.',
    anchor: 'bad_gateway',
  }),
  expectation: () => ({
    ...malformed,
    problem: 'The Expect header asks for something other than 100-continue.',
    advice: 'Leave the Expect header out.',
  }),
  parse_error: () => ({
    ...unread,
    problem: 'What was sent is not HTTP.',
    advice: 'Look at the program that sends it, and at what stands between it and us.',
  }),
  no_route: ({ record }) => ({
    title: 'No such path',
    problem: `There is nothing at ${record.path}.`,
    advice: 'Compare it with the reference. Paths are compared exactly, without a slash at the end.',
    anchor: 'not_found',
  }),
  method: ({ record }) => ({
    title: `${record.method} is not possible here`,
    problem: `The path ${record.path} cannot be called with ${record.method}.`,
    advice: 'The Allow header of the response names the methods that it has.',
    anchor: 'method_not_allowed',
  }),
} as const satisfies Explanations;

const byRefusal: Required<Explanations> = { ...credentialRefusals, ...requestRefusals };

/** A request that the HTTP parser refused, or a refusal newer than this service. */
const other: Explanation = {
  ...unread,
  problem: 'The gateway could not read the request.',
  advice:
    'HTTP libraries do not make such requests by themselves. Look at what stands between your program and us.',
};

function explainRefusal(refusal: string, request: RequestWithClient): Explanation {
  return isRefusal(refusal) ? byRefusal[refusal](request) : other;
}

/** What the service behind the gateway means by a status. */
const byStatus: Readonly<Record<number, Explanation>> = {
  400: {
    title: 'The request is not right',
    problem: 'A field or parameter is missing, unknown or of the wrong type.',
    advice: 'The text in the answer names what is wrong. Correct it and send the request again.',
    anchor: 'bad_request',
  },
  403: {
    title: 'The business is banned',
    problem: 'We have banned the business. Only its own record can be read.',
    advice: 'The owner of the business should write to us.',
    anchor: 'business_banned',
  },
  404: {
    title: 'No such order',
    problem: 'The business of this credential has nothing under this id.',
    advice:
      'Compare the id, which is not the number of the order, and check that the key is one of the right business.',
    anchor: 'not_found',
  },
  409: {
    title: 'It does not fit the state of things',
    problem: 'The order cannot take this step, or the Idempotency-Key came with another body before.',
    advice: 'Read the order and decide anew. Nothing was changed.',
    anchor: 'conflict',
  },
  412: {
    title: 'The record has changed',
    problem: 'The record is not in the state that If-Match or If-None-Match names.',
    advice: 'Read it again and decide anew, with the ETag that it has now. Nothing was changed.',
    anchor: 'precondition_failed',
  },
  413: {
    title: 'The body is too large',
    problem: 'The body is larger than the operation reads.',
    advice: 'Send less at once.',
    anchor: 'payload_too_large',
  },
  415: {
    title: 'The body is not JSON',
    problem: 'The body is declared as something else than JSON in UTF-8.',
    advice: 'Send it with “Content-Type: application/json”.',
    anchor: 'unsupported_media_type',
  },
  422: {
    title: 'It cannot be done',
    problem: 'The request is well formed and cannot be carried out.',
    advice: 'The text in the answer says why.',
    anchor: 'unprocessable',
  },
  503: {
    title: 'The service was not available',
    problem: 'The service could not reach its data at that moment.',
    advice:
      'Repeat the request after the time that Retry-After says. There is nothing that you need to change.',
    anchor: 'unavailable',
  },
};

const refused: Explanation = {
  title: 'The service refused it',
  problem: 'The service behind the gateway did not accept the request.',
  advice: 'The text in the answer says why.',
  anchor: 'bad_request',
};

const failed: Explanation = {
  title: 'A fault of ours',
  problem: 'Something went wrong in the service that should have answered.',
  advice:
    'Repeat the request once, a write with its Idempotency-Key. If it fails again, send us its request id.',
  anchor: 'internal_server_error',
};

/** An answer of the service behind the gateway. */
function explainService(status: number): Explanation {
  return byStatus[status] ?? (status < 500 ? refused : failed);
}

/** Why a request was refused or failed, and what to do about it. */
export function explainRequest(request: RequestWithClient): Explanation {
  const { refusal, status } = request.record;
  return refusal === undefined ? explainService(status) : explainRefusal(refusal, request);
}
