import type { InvalidReason } from '@platform/protos/vocabulary';
import type { Explanation } from './explanation.ts';
import type { RequestRecord } from './request-log.ts';

type Invalid = Pick<RequestRecord, 'status' | 'invalidField'>;

const anchor = 'bad_request';

/** Explanation of 415. */
export const notJson: Explanation = {
  title: 'The body is not JSON',
  problem: 'The Content-Type of the body is not JSON in UTF-8, or the body is compressed.',
  advice: 'Send it with “Content-Type: application/json” and without Content-Encoding.',
  anchor: 'unsupported_media_type',
};

/** Explanations of requests that were not accepted; the response names the field, and says more about it. */
const byReason: Readonly<Record<InvalidReason, (request: Invalid) => Explanation>> = {
  invalid_json: ({ invalidField }) => ({
    title: 'The body is not valid JSON',
    problem:
      invalidField === undefined
        ? 'The body is not valid JSON.'
        : `The body is not valid JSON at “${invalidField}”.`,
    advice: 'The error in the response says what is wrong. Create the body with a JSON library.',
    anchor,
  }),
  invalid_query: ({ invalidField: name }) => ({
    title: name === undefined ? 'A query parameter is not valid' : `Query parameter ${name} is not valid`,
    problem:
      name === undefined ? 'A query parameter is not valid.' : `The query parameter “${name}” is not valid.`,
    advice: 'The error in the response says what is wrong. The reference lists the parameters.',
    anchor,
  }),
  invalid_body: ({ invalidField: name }) => ({
    title: name === undefined ? 'The body is missing or not valid' : `Field ${name} is missing or not valid`,
    problem:
      name === undefined
        ? 'The body is missing or not valid.'
        : `The field “${name}” is missing or not valid.`,
    advice: 'The error in the response says what is wrong, for up to five fields.',
    anchor,
  }),
  invalid_path: ({ invalidField: name }) => ({
    title: name === undefined ? 'A part of the path is not valid' : `Path parameter ${name} is not valid`,
    problem:
      name === undefined ? 'A part of the path is not valid.' : `The path parameter “${name}” is not valid.`,
    advice: 'The error in the response says what is wrong. The reference lists the parameters.',
    anchor,
  }),
  invalid_header: ({ status, invalidField: name }) =>
    status === 415
      ? notJson
      : {
          title: name === undefined ? 'A header is not valid' : `Header ${name} is not valid`,
          problem: name === undefined ? 'A header is not valid.' : `The header “${name}” is not valid.`,
          advice: 'The error in the response says what is wrong.',
          anchor,
        },
};

/** Explains which part of a request was not accepted. */
export function explainInvalid(reason: InvalidReason, request: Invalid): Explanation {
  return byReason[reason](request);
}
