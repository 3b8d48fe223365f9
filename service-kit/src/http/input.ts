import express, { type Request, type RequestHandler } from 'express';
import { HttpError } from './errors.ts';

/** `application/json`, with no parameter but a charset, which the parser checks. */
const jsonType = /^application\/json[ \t]*(;[ \t]*charset=[^;]+)?$/i;

/**
 * A reader of JSON bodies; resolves to undefined for an empty one. It rejects with HttpError 415 for another type, and
 * with the parser's errors: 400 malformed, 413 larger than the limit, 415 charset or encoding.
 */
export function jsonReader(options: {
  /** Of the body after decompression, such as `64kb`. */
  readonly limit: string;
  /** Whether compressed bodies are read. */
  readonly inflate: boolean;
}): (req: Request) => Promise<unknown> {
  const parser = express.json({ ...options, type: () => true });
  return async (req) => {
    if (!jsonType.test(req.headers['content-type'] ?? '')) {
      throw new HttpError(415, 'Content-Type must be application/json');
    }
    return parseBody(parser, req);
  };
}

/** `req.body` after one of Express's body parsers. @throws the parser's errors: 400, 413, 415 */
export async function parseBody(parser: RequestHandler, req: Request): Promise<unknown> {
  const { res } = req;
  if (res === undefined) throw new Error('a request without its response');
  await new Promise<void>((resolve, reject) => {
    parser(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return req.body;
}

/** Parameters of the query, in the order of the request. */
export function queryOf({ originalUrl }: Request): URLSearchParams {
  const mark = originalUrl.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : originalUrl.slice(mark + 1));
}

/** The first name that occurs twice. */
export function duplicateOf(parameters: URLSearchParams): string | undefined {
  const seen = new Set<string>();
  for (const name of parameters.keys()) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
