import type { Explanation } from './explanation.ts';

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
export function explainService(status: number): Explanation {
  return byStatus[status] ?? (status < 500 ? refused : failed);
}
