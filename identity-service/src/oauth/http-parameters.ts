import { parseBody } from '@platform/service-kit/http/input.ts';
import express, { type Request } from 'express';
import { type Parameters, parseFormParameters, parseJsonParameters, unreadable } from './parameters.ts';

const readText = express.text({ type: () => true, limit: '64kb', inflate: false });

const parsers = new Map([
  ['application/json', parseJsonParameters],
  ['application/x-www-form-urlencoded', parseFormParameters],
]);

/** The parser of a body's type. @throws OAuthError invalid_request for another type */
export function parserOf(contentType: string | undefined): (body: string) => Parameters {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const parse = parsers.get(type ?? '');
  if (parse !== undefined) return parse;
  throw unreadable(`Content-Type must be ${[...parsers.keys()].join(' or ')}`);
}

/**
 * Parameters of a form or JSON body.
 * @throws OAuthError invalid_request for another type or a malformed body
 * @throws the parser's errors: 413 beyond 64 kB, 415 charset or encoding
 */
export async function readParameters(req: Request): Promise<Parameters> {
  const parse = parserOf(req.headers['content-type']);
  const body = await parseBody(readText, req);
  return parse(typeof body === 'string' ? body : '');
}
