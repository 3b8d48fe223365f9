import type { OutgoingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** Shorter bodies do not gain what the header costs. */
const minBytes = 1_024;

/** Levels that cost about as much time as they save on a line of 100 Mbit/s. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4 };

const gzipLevel = 6;

const compressibleType = /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]+\+)?(?:json|xml)\b)/i;

/** The response that may be compressed: its status, its headers in lower case, its length where that is known. */
export interface Compressible {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly length: number | undefined;
}

/** Whether its client might be sent it in another encoding: then caches must know. */
export function isCompressible({ status, headers, length = minBytes }: Compressible): boolean {
  if (status === 206 || length < minBytes || headers['content-encoding'] !== undefined) return false;
  if (/\bno-transform\b/i.test(String(headers['cache-control'] ?? ''))) return false;
  return compressibleType.test(String(headers['content-type'] ?? ''));
}

/** The best encoding that a client accepts (RFC 9110 section 12.5.3); undefined when it wants none. */
export function acceptedEncoding(acceptEncoding = ''): Encoding | undefined {
  const weights = new Map(acceptEncoding.split(',').map(weightOf));
  const weight = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const best = weight('br') >= weight('gzip') ? 'br' : 'gzip';
  return weight(best) > 0 ? best : undefined;
}

function weightOf(element: string): [string, number] {
  const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return [name, weight >= 0 && weight <= 1 ? weight : 0];
}

/**
 * Headers of the compressed response. Its entity tag becomes weak: compressed or not, it names the same record, and the
 * bytes differ (RFC 9110 section 8.8.1).
 */
export function compressedHeaders(headers: OutgoingHttpHeaders, encoding: Encoding): OutgoingHttpHeaders {
  const { 'content-length': _length, etag, ...rest } = headers;
  const weak = typeof etag === 'string' && !etag.startsWith('W/') ? `W/${etag}` : etag;
  return { ...rest, ...(weak !== undefined && { etag: weak }), 'content-encoding': encoding };
}

const compressors = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: brotliParams }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: gzipLevel }),
};

/** A body that is there as a whole, compressed off the event loop. */
export function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  return compressors[encoding](body);
}

/** For a body that flows; what was written is readable at once, so that nothing waits for more to come. */
export function createCompressor(encoding: Encoding): Transform {
  return encoding === 'br'
    ? createBrotliCompress({ params: brotliParams, flush: constants.BROTLI_OPERATION_FLUSH })
    : createGzip({ level: gzipLevel, flush: constants.Z_SYNC_FLUSH });
}
