import { explainCredential } from './explain-credential.ts';
import type { Explanation, KnownRequest } from './explanation.ts';

const repeat =
  'Repeat the request after the time that Retry-After says. There is nothing that you need to change.';
const malformed = { title: 'The request is malformed', anchor: 'bad_request' };
const unread = { title: 'The request could not be read', anchor: 'unread' };

/** Words of the gateway that tell nothing of the credential. */
const byWord: Readonly<Record<string, Explanation>> = {
  authorization_unavailable: {
    title: 'The credential could not be checked',
    problem: 'What checks keys and tokens did not answer at that moment, so nothing is known about this one.',
    advice: repeat,
    anchor: 'unavailable',
  },
  body_too_large: {
    title: 'The body is too large',
    problem: 'The body is larger than the gateway lets through.',
    advice: 'Send less at once.',
    anchor: 'payload_too_large',
  },
  upstream_timeout: {
    title: 'The service did not answer in time',
    problem: 'The service has the request and did not answer in time. A write may still have happened.',
    advice: 'Repeat a read. Repeat a new order with the same Idempotency-Key.',
    anchor: 'gateway_timeout',
  },
  upstream_saturated: {
    title: 'The service was busy',
    problem: 'Too many requests were waiting for the service.',
    advice: repeat,
    anchor: 'unavailable',
  },
  upstream_failed: {
    title: 'The service did not answer',
    problem:
      'The service that should have answered broke off or was being restarted. A write may have happened.',
    advice: 'Repeat the request, a new order with the same Idempotency-Key.',
    anchor: 'bad_gateway',
  },
  unexpected: {
    title: 'A fault of ours',
    problem: 'Something went wrong in the gateway.',
    advice: 'Repeat the request once. If it fails again, send us its request id.',
    anchor: 'internal_server_error',
  },
  ambiguous_path: {
    ...malformed,
    problem: 'The path can be read in more than one way: it has “//”, “/../”, encoded slashes or the like.',
    advice: 'Send the path exactly as the reference has it.',
  },
  authorization_header: {
    ...malformed,
    problem: 'There was more than one Authorization header.',
    advice: 'Send one. A proxy or a library may be adding the second.',
  },
  host_header: {
    ...malformed,
    problem: 'The Host header is missing, is there twice, or is not a host.',
    advice: 'HTTP libraries send it by themselves. Look at what stands between your program and us.',
  },
  http_version: {
    ...malformed,
    problem: 'The request did not come as HTTP/1.1.',
    advice: 'HTTP/1.1 is what nearly every library speaks. Look at what stands between your program and us.',
  },
  content_length: {
    ...malformed,
    problem: 'The Content-Length header is there twice, or is not a number.',
    advice: 'Let your HTTP library set it.',
  },
  framing: {
    ...unread,
    problem: 'It was not clear where the body ends.',
    advice: 'Let your HTTP library set Content-Length, and leave Transfer-Encoding alone.',
  },
  length_required: {
    ...unread,
    problem: 'A request with this method needs a Content-Length.',
    advice: 'Let your HTTP library set it; it is 0 where there is no body.',
  },
};

const other: Explanation = {
  ...unread,
  problem: 'The gateway could not read the request.',
  advice:
    'HTTP libraries do not make such requests by themselves. Look at what stands between your program and us.',
};

/** A refusal of the gateway, by its word. */
export function explainRefusal(word: string, request: KnownRequest): Explanation {
  return byWord[word] ?? explainRoute(word, request) ?? explainCredential(word, request) ?? other;
}

function explainRoute(word: string, { record }: KnownRequest): Explanation | undefined {
  const { method, path } = record;
  if (word === 'no_route') {
    return {
      title: 'No such path',
      problem: `There is nothing at ${path}.`,
      advice: 'Compare it with the reference. Paths are compared exactly, without a slash at the end.',
      anchor: 'not_found',
    };
  }
  if (word !== 'method') return undefined;
  return {
    title: `${method} is not possible here`,
    problem: `The path ${path} cannot be called with ${method}.`,
    advice: 'The Allow header of the answer names the methods that it has.',
    anchor: 'method_not_allowed',
  };
}
