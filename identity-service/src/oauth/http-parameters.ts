import { HttpError } from '@platform/service-kit/http/errors.ts';
import { textReader } from '@platform/service-kit/http/input.ts';
import { mediaTypeOf } from '@platform/service-kit/http/media-type.ts';
import type { Request } from 'express';
import { type Parameters, parseFormParameters, parseJsonParameters, unreadable } from './parameters.ts';

const readText = textReader({ limit: '64kb', inflate: false });

const parsers = {
  'application/json': parseJsonParameters,
  'application/x-www-form-urlencoded': parseFormParameters,
};

const types = ['application/json', 'application/x-www-form-urlencoded'] as const;

/** The parser of a body's type. @throws OAuthError invalid_request for another type or charset */
export function parserOf(contentType: string | undefined): (body: string) => Parameters {
  try {
    return parsers[mediaTypeOf(contentType, types)];
  } catch (error) {
    throw error instanceof HttpError ? unreadable(error.message) : error;
  }
}

/**
 * Parameters of a form or JSON body.
 * @throws OAuthError invalid_request for another type or charset, or a malformed body
 * @throws the parser's errors: 400 for bytes that are not UTF-8, 413 beyond 64 kB, 415 encoding
 */
export async function readParameters(req: Request): Promise<Parameters> {
  const parse = parserOf(req.headers['content-type']);
  return parse(await readText(req));
}
