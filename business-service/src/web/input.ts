import type { InvalidReason } from '@platform/protos/vocabulary';
import { jsonReader, readParameters } from '@platform/service-kit/http/input.ts';
import { parseInput } from '@platform/service-kit/input/validation.ts';
import type { Request } from 'express';
import type { z } from 'zod';
import { InvalidRequest, withPart } from './invalid-input.ts';

const options = { limit: '256kb', inflate: true };

const readJson = jsonReader(options);

/** Media types of a change (RFC 7396). */
export const patchTypes = ['application/json', 'application/merge-patch+json'] as const;

const readPatchJson = jsonReader({ ...options, accepts: patchTypes });

/**
 * A JSON body in its exact type.
 * @throws InvalidRequest 400 malformed or with invalid fields, which it names, 415 another media type or charset; the parser's
 * errors: 413 larger than 256 kB, 415 encoding
 */
export function readBody<T extends z.ZodType>(schema: T, req: Request): Promise<z.output<T>> {
  return parseJson(schema, readJson(req));
}

/** The same for the body of a PATCH. */
export function readPatch<T extends z.ZodType>(schema: T, req: Request): Promise<z.output<T>> {
  return parseJson(schema, readPatchJson(req));
}

async function parseJson<T extends z.ZodType>(schema: T, json: Promise<unknown>): Promise<z.output<T>> {
  const body = await json.catch((error: unknown) => {
    throw withPart('invalid_json', error);
  });
  if (body === undefined) {
    throw new InvalidRequest({ reason: 'invalid_body', field: '' }, 'a JSON body is required');
  }
  return naming('invalid_body', (reason) => parseInput(schema, body, reason));
}

/**
 * Query parameters in their exact types; empty ones are absent.
 * @throws InvalidRequest for duplicated, unknown and malformed ones
 */
export function readQuery<T extends z.ZodType>(schema: T, req: Request): z.output<T> {
  return naming('invalid_query', (reason) => parseInput(schema, readParameters(req), reason));
}

/** Runs a reader, whose errors then name the part of the request. */
function naming<T>(reason: InvalidReason, read: (reason: InvalidReason) => T): T {
  try {
    return read(reason);
  } catch (error) {
    throw withPart(reason, error);
  }
}
