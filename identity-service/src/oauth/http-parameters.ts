import { parseBody } from '@platform/service-kit/http/input.ts';
import express, { type Request } from 'express';
import { type Parameters, parseFormParameters, parseJsonParameters, unreadable } from './parameters.ts';

const readText = express.text({ type: () => true, limit: '64kb', inflate: false });

const parsers = new Map([
  ['application/json', parseJsonParameters],
  ['application/x-www-form-urlencoded', parseFormParameters],
]);

/**
 * Parameters of a form or JSON body.
 * @throws OAuthError invalid_request for another type or a malformed body
 * @throws the parser's errors: 413 beyond 64 kB, 415 charset or encoding
 */
export async function readParameters(req: Request): Promise<Parameters> {
  const type = req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const parse = parsers.get(type ?? '');
  if (parse === undefined) {
    throw unreadable(`Content-Type must be ${[...parsers.keys()].join(' or ')}`);
  }
  const body = await parseBody(readText, req);
  return parse(typeof body === 'string' ? body : '');
}
