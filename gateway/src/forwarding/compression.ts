import type { OutgoingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** Smaller bodies are not compressed. */
const minBytes = 1_024;

/** Levels that take about as much time as they save at 100 Mbit/s. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4 };

const gzipLevel = 6;

const compressibleType = /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]+\+)?(?:json|xml)\b)/i;

/** A response; header names in lower case, `length` undefined when unknown. */
interface Compressible {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly length: number | undefined;
}

/** Whether the response may be compressed for some client: then it needs `Vary`. */
export function isCompressible({ status, headers, length = minBytes }: Compressible): boolean {
  if (status === 206 || length < minBytes || headers['content-encoding'] !== undefined) return false;
  if (/\bno-transform\b/i.test(String(headers['cache-control'] ?? ''))) return false;
  return compressibleType.test(String(headers['content-type'] ?? ''));
}

/** The preferred encoding of a client (RFC 9110 section 12.5.3); undefined for none. */
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

/** Headers of the compressed response. Its ETag becomes weak, since the bytes differ (RFC 9110 section 8.8.1). */
export function compressedHeaders(headers: OutgoingHttpHeaders, encoding: Encoding): OutgoingHttpHeaders {
  const { 'content-length': _length, etag, ...rest } = headers;
  const weak = typeof etag === 'string' && !etag.startsWith('W/') ? `W/${etag}` : etag;
  return { ...rest, ...(weak !== undefined && { etag: weak }), 'content-encoding': encoding };
}

const compressors = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: brotliParams }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: gzipLevel }),
};

/** Compresses a whole body in the thread pool. */
export function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  return compressors[encoding](body);
}

/** Compresses a stream; flushes every write, so that events are not delayed. */
export function createCompressor(encoding: Encoding): Transform {
  return encoding === 'br'
    ? createBrotliCompress({ params: brotliParams, flush: constants.BROTLI_OPERATION_FLUSH })
    : createGzip({ level: gzipLevel, flush: constants.Z_SYNC_FLUSH });
}
