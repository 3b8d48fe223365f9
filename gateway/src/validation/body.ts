import type { Operation } from '@platform/service-kit/api/api.ts';
import { FieldError, HttpError } from '@platform/service-kit/http/errors.ts';
import { mediaTypeOf } from '@platform/service-kit/http/media-type.ts';
import { parseStrictJson } from '@platform/service-kit/http/strict-json.ts';
import type { Request } from 'express';
import { bufferedBytes } from '../edge/request-body.ts';
import type { DocumentSchemas, SchemaCheck } from './document-schemas.ts';
import type { Invalid } from './invalid.ts';
import { violationOf } from './violation.ts';

const jsonType = /^application\/(?:[\w.-]+\+)?json$/;

/**
 * Creates the check of an operation's body: its media type, and JSON by the schema of its type. It reads JSON that is at hand,
 * and refuses what is larger.
 * @throws ApiDocumentError for a schema that is not valid
 */
export function createBodyCheck(
  { place }: Operation,
  schemas: DocumentSchemas,
): (req: Request) => Invalid | undefined {
  const body = schemas.part([...place, 'requestBody']);
  if (body === undefined) return () => undefined;
  const contentPlace = [...body.place, 'content'];
  const types = Object.keys(schemas.part(contentPlace)?.content ?? {});
  const checks = new Map<string, SchemaCheck>(
    types
      .filter((type) => jsonType.test(type) && schemas.part([...contentPlace, type, 'schema']) !== undefined)
      .map((type) => [type, schemas.compile([...contentPlace, type, 'schema'])]),
  );
  return (req) => {
    if (!req.exchange.body.isExpected) return body.content.required === true ? missing : undefined;
    try {
      const check = checks.get(mediaTypeOf(req.headers['content-type'], types));
      return check && problemOf(check, req);
    } catch (error) {
      return invalidBody(error);
    }
  };
}

const missing: Invalid = { reason: 'invalid_body', field: '', text: 'a body is required' };

const tooLarge: Invalid = {
  status: 413,
  reason: 'body_too_large',
  field: '',
  text: `the body is larger than ${bufferedBytes} bytes`,
};

const compressed = new HttpError(415, 'the encoding of the body is not supported');

const decoder = new TextDecoder('utf-8', { fatal: true });

function problemOf(check: SchemaCheck, { exchange, headers }: Request): Invalid | undefined {
  if (headers['content-encoding'] !== undefined) throw compressed;
  if (!exchange.body.isAtHand) return tooLarge;
  const value = parseStrictJson(textOf(exchange.body.whole));
  const error = check(value);
  return error && { reason: 'invalid_body', ...violationOf(error, value) };
}

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HttpError(400, 'the body is not valid UTF-8');
  }
}

/** Of an error by a reader of bodies. */
function invalidBody(error: unknown): Invalid {
  if (!(error instanceof HttpError)) throw error;
  const { status, message: text } = error;
  if (status === 415) return { status, reason: 'invalid_header', field: 'Content-Type', text };
  return { status, reason: 'invalid_json', field: error instanceof FieldError ? error.field : '', text };
}
