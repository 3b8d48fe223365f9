import { z } from 'zod';
import { list } from '../config/config.ts';

/** Names of headers (RFC 9110, section 5.1). */
const nameShape = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Values of headers, without blanks around. */
const valueShape = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that are set by the export itself or its connection, and cannot be configured. */
const reserved = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * OTLP_HEADERS, as OpenTelemetry's OTEL_EXPORTER_OTLP_HEADERS: `key=value,key2=value2`, with percent-encoded values, so that
 * they may have commas. The messages of its errors hold no part of it.
 */
export const collectorHeaders = list.transform((entries, context): Readonly<Record<string, string>> => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const headers = entries.map(parseHeader);
  if (headers.length === 0 || headers.includes(undefined)) {
    return refuse('must be a list of headers, as key=value,key2=value2, with percent-encoded values');
  }
  const found = headers.filter((header) => header !== undefined);
  if (found.some(([name]) => reserved.has(name))) {
    return refuse('must not set headers of the export itself, such as content-type or host');
  }
  const unique = Object.fromEntries(found);
  return Object.keys(unique).length === found.length ? unique : refuse('must name each header once');
});

/** Undefined for an entry that is no header. */
function parseHeader(entry: string): readonly [name: string, value: string] | undefined {
  const [, name = '', encoded = ''] = /^([^=]*)=(.*)$/.exec(entry) ?? [];
  const header = [name.trim().toLowerCase(), decode(encoded.trim())] as const;
  return nameShape.test(header[0]) && valueShape.test(header[1]) ? header : undefined;
}

/** Empty for a value whose encoding is not valid. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}
