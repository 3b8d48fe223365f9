import express, { type Request, type RequestHandler } from 'express';
import { FieldError, HttpError } from './errors.ts';
import { mediaTypeOf } from './media-type.ts';
import { parseStrictJson } from './strict-json.ts';

interface BodyOptions {
  /** Of the body after decompression, such as `64kb`. */
  readonly limit: string;
  /** Whether compressed bodies are read. */
  readonly inflate: boolean;
}

const jsonTypes = ['application/json'] as const;

/**
 * A reader of JSON bodies; resolves to undefined for an empty one. It rejects with HttpError 415 for another media type or
 * charset, with HttpError 400 for invalid or ambiguous JSON, and with the parser's errors: 413 larger than the limit, 415
 * encoding.
 * @param accepts media types; `application/json` alone where absent
 */
export function jsonReader(options: BodyOptions & { readonly accepts?: readonly string[] }) {
  const readText = textReader(options);
  return async (req: Request): Promise<unknown> => {
    mediaTypeOf(req.headers['content-type'], options.accepts ?? jsonTypes);
    const text = await readText(req);
    return text === '' ? undefined : parseStrictJson(text);
  };
}

/**
 * A reader of bodies in UTF-8, whose byte order mark is dropped (RFC 8259 section 8.1). It rejects with HttpError 400 for other
 * bytes, and with the parser's errors: 413 larger than the limit, 415 encoding.
 */
export function textReader(options: BodyOptions): (req: Request) => Promise<string> {
  const parser = express.raw({ ...options, type: () => true });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return async (req) => {
    const body = await parseBody(parser, req);
    if (!(body instanceof Buffer)) return '';
    try {
      return decoder.decode(body);
    } catch {
      throw new HttpError(400, 'the body is not valid UTF-8');
    }
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
export function queryOf({ originalUrl }: Pick<Request, 'originalUrl'>): URLSearchParams {
  const mark = originalUrl.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : originalUrl.slice(mark + 1));
}

/**
 * Parameters of the query by name. One without a value counts as absent, as at the OAuth endpoints (RFC 6749 section 3.1).
 * @throws FieldError for one that is given twice, and for NUL, which PostgreSQL's text cannot hold
 */
export function readParameters(req: Pick<Request, 'originalUrl'>): Record<string, string> {
  const seen = new Set<string>();
  const query = [...queryOf(req)];
  for (const [name, value] of query) {
    if (seen.has(name)) throw new FieldError(name, 'is given twice');
    if (value.includes('\0')) throw new FieldError(name, 'must not contain NUL');
    seen.add(name);
  }
  return Object.fromEntries(query.filter(([, value]) => value !== ''));
}
