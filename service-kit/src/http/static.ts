import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Content codings, best first. */
const encodings = ['br', 'gzip'] as const;

export type Encoding = (typeof encodings)[number];

/** A file that does not change while the service runs. */
export interface StaticFile {
  /** Headers of every response with it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
  /** The compressed content; made once. */
  encode(encoding: Encoding): Promise<Buffer>;
}

interface StaticFileOptions {
  /** Its extension gives the Content-Type. */
  readonly name: string;
  readonly content: Buffer;
  /** Cache-Control; `no-cache` where absent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Compressed in advance. What is absent is compressed for the first request that accepts it. */
  readonly encoded?: Readonly<Partial<Record<Encoding, Buffer>>>;
}

/** Headers of a file whose name changes with its content. */
export const immutable = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const contentTypes: Readonly<Record<string, string>> = {
  '.atom': 'application/atom+xml; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.yaml': 'application/yaml',
};

const brotli = promisify(brotliCompress);

const deflate = promisify(gzip);

const encoders: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  // Quality 10 would save 7 % of a large script and take ten times as long.
  br: (content) => brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content) => deflate(content, { level: 9 }),
};

/** @throws when the extension of the name has no content type here */
export function staticFile({ name, content, headers, encoded = {} }: StaticFileOptions): StaticFile {
  const type = contentTypes[extname(name)];
  if (type === undefined) throw new Error(`${name}: a file of this type is not served`);
  const made = new Map<Encoding, Promise<Buffer>>();
  for (const encoding of encodings) {
    const given = encoded[encoding];
    if (given !== undefined) made.set(encoding, Promise.resolve(given));
  }
  return {
    headers: {
      'Content-Type': type,
      ETag: `W/"${digestOf(content)}"`,
      Vary: 'Accept-Encoding',
      'Cache-Control': 'no-cache',
      ...headers,
    },
    content,
    encode: (encoding) => {
      const known = made.get(encoding) ?? encoders[encoding](content);
      made.set(encoding, known);
      return known;
    },
  };
}

/** A short name for content: another one for every other content. */
export function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

/** Headers that select the encoding; requests of Express fit. */
interface StaticRequest {
  readonly headers: { readonly 'if-none-match'?: string | undefined };
  acceptsEncodings(encoding: string): string | false;
}

export interface StaticResponse {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty with 304; not to be sent to HEAD. */
  readonly body: Buffer;
}

const empty = Buffer.alloc(0);

/** The response with a file: whole, in the best coding that the client accepts, or 304. Range is not supported. */
export async function respondWithFile(file: StaticFile, req: StaticRequest): Promise<StaticResponse> {
  const { 'Content-Type': _type, ...kept } = file.headers;
  if (isCurrent(req.headers['if-none-match'], file.headers.ETag)) {
    return { status: 304, headers: kept, body: empty };
  }
  const encoding = encodings.find((each) => req.acceptsEncodings(each) !== false);
  const body = encoding === undefined ? file.content : await file.encode(encoding);
  const headers: Record<string, string> = { ...file.headers, 'Content-Length': String(body.length) };
  if (encoding !== undefined) headers['Content-Encoding'] = encoding;
  return { status: 200, headers, body };
}

/** If-None-Match with weak comparison (RFC 9110 section 13.1.2). */
function isCurrent(ifNoneMatch = '', etag = ''): boolean {
  const weak = etag.replace(/^W\//, '');
  return ifNoneMatch.split(',').some((each) => {
    const tag = each.trim();
    return tag === '*' || tag.replace(/^W\//, '') === weak;
  });
}
