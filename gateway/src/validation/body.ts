import type { Operation } from '@platform/service-kit/api/api.ts';
import { FieldError, HttpError } from '@platform/service-kit/http/errors.ts';
import { mediaTypeOf } from '@platform/service-kit/http/media-type.ts';
import { parseStrictJson } from '@platform/service-kit/http/strict-json.ts';
import { z } from 'zod';
import { bodyTooLarge } from '../edge/errors.ts';
import { bufferedBytes, type RequestBody } from '../edge/request-body.ts';
import { forwardedHeader } from '../forwarding/request-headers.ts';
import type { DocumentSchemas, SchemaCheck } from './document-schemas.ts';
import { type Invalid, invalid, type RequestCheck } from './invalid.ts';
import { violationOf } from './violation.ts';

const exactType = /^[a-z]+\/[a-z0-9.+_-]+$/;

/** The parts that are read of an operation’s body. */
const bodyObject = z.object({
  required: z.boolean().default(false),
  content: z.record(
    z
      .string()
      .regex(
        exactType,
        'is not checked by x-validate: only types in lower case, without * and parameters, are',
      ),
    z.object({ schema: z.unknown().optional() }),
  ),
});

const jsonType = /^application\/(?:[\w.-]+\+)?json$/;

/**
 * Creates the check of an operation's body: its media type, and JSON by the schema of its type. It reads JSON that is at hand,
 * and refuses what is larger.
 * @throws ApiDocumentError for a body that it cannot read
 */
export function createBodyCheck({ definition, place }: Operation, schemas: DocumentSchemas): RequestCheck {
  if (definition.requestBody === undefined) return () => undefined;
  const { content: described, place: at } = schemas.part([...place, 'requestBody'], bodyObject);
  const types = Object.keys(described.content);
  const checks = new Map<string, SchemaCheck>();
  for (const [type, { schema }] of Object.entries(described.content)) {
    if (schema !== undefined && jsonType.test(type))
      checks.set(type, schemas.compile([...at, 'content', type, 'schema']));
  }
  return ({ exchange: { body }, headers }) => {
    if (!body.isExpected) return described.required ? missing : undefined;
    try {
      const check = checks.get(mediaTypeOf(forwardedHeader(headers, 'content-type'), types));
      if (check === undefined) return undefined;
      if (headers['content-encoding'] !== undefined)
        throw new HttpError(415, 'the encoding of the body is not supported');
      return body.isAtHand ? problemOf(check, body) : tooLarge;
    } catch (error) {
      return unreadable(error);
    }
  };
}

const missing = invalid('invalid_body', '', 'a body is required');

const tooLarge: Invalid = { error: bodyTooLarge(bufferedBytes), field: '' };

const decoder = new TextDecoder('utf-8', { fatal: true });

function problemOf(check: SchemaCheck, { whole }: RequestBody): Invalid | undefined {
  const value = parseStrictJson(textOf(whole));
  const error = check(value);
  if (error === undefined) return undefined;
  const { field, text } = violationOf(error, value);
  return invalid('invalid_body', field, text);
}

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HttpError(400, 'the body is not valid UTF-8');
  }
}

/** Of an error by a reader of bodies. */
function unreadable(error: unknown): Invalid {
  if (!(error instanceof HttpError)) throw error;
  const { status, message } = error;
  if (status === 415) return invalid('invalid_header', 'Content-Type', message, status);
  return invalid('invalid_json', error instanceof FieldError ? error.field : '', message);
}
