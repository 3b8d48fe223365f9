import express, { type Request, type Response } from 'express';
import { OAuthError } from './oauth-error.ts';
import { type Parameters, parseFormParameters, parseJsonParameters } from './parameters.ts';

const readText = express.text({ type: () => true, limit: '64kb', inflate: false });

const parsers = new Map([
  ['application/json', parseJsonParameters],
  ['application/x-www-form-urlencoded', parseFormParameters],
]);

/**
 * Parameters of a form or JSON body.
 * @throws OAuthError invalid_request for another type or a malformed body
 * @throws Express's parser errors: 413 beyond 64 kB, 415 for an unknown charset or encoding
 */
export async function readParameters(req: Request, res: Response): Promise<Parameters> {
  const type = req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const parse = parsers.get(type ?? '');
  if (parse === undefined) {
    throw new OAuthError('invalid_request', `Content-Type must be ${[...parsers.keys()].join(' or ')}`);
  }
  await new Promise<void>((resolve, reject) => {
    readText(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return parse(typeof req.body === 'string' ? req.body : '');
}
