import type { Request } from 'express';
import { digest } from '../values.ts';
import { InvalidRequest } from './invalid-input.ts';
import { type ApiResponse, errorResponse } from './response.ts';

/*
 * Conditional requests (RFC 9110 section 13). A tag is a digest of the response body, so it changes with the record and
 * with nothing else. `W/` makes no difference: compressing proxies add it, and the tag still names one state.
 */

/** If-Match and If-None-Match of a request, against the tag of the record that it is about. */
export interface Preconditions {
  /** Whether the client has this state of the record. */
  isKnown(tag: string): boolean;
  /** Whether the request applies to a record in this state. `reading` leaves If-None-Match to `isKnown`. */
  holds(tag: string, request: 'reading' | 'changing'): boolean;
}

/** Entity tag of a record, in quotes. */
export function entityTag(resource: object): string {
  return `"${digest(resource)}"`;
}

/**
 * Reads both headers. A malformed If-None-Match is ignored: the client gets the record. A malformed If-Match is not: it
 * guards a change.
 * @throws InvalidRequest for If-Match that is no list of entity tags
 */
export function readPreconditions({ headers }: Request): Preconditions {
  const ifMatch = headers['if-match'];
  const allowed = ifMatch === undefined ? anyTag : parseTags(ifMatch);
  if (allowed === undefined) {
    throw new InvalidRequest(
      { reason: 'invalid_header', field: 'If-Match' },
      'If-Match: must be * or a list of entity tags in double quotes',
    );
  }
  const known = parseTags(headers['if-none-match'] ?? '');
  const isKnown = (tag: string) => known !== undefined && includes(known, tag);
  return {
    isKnown,
    holds: (tag, request) => includes(allowed, tag) && (request === 'reading' || !isKnown(tag)),
  };
}

/** 412 for a record in another state than the request names. */
export const preconditionFailed: ApiResponse = errorResponse(
  412,
  'The record is not as If-Match or If-None-Match says',
);

/** GET of a record: 200 with its tag, 304 for a client that has it, 412 where If-Match names another state. */
export function conditionalResponse(req: Request, resource: object): ApiResponse {
  const preconditions = readPreconditions(req);
  const tag = entityTag(resource);
  if (!preconditions.holds(tag, 'reading')) return preconditionFailed;
  // Only the client may cache it, per credential, and revalidates each time, since access may have ended. Varies by Origin
  // because of CORS.
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Origin' };
  return preconditions.isKnown(tag) ? { status: 304, headers } : { status: 200, body: resource, headers };
}

/** `*` matches every tag. */
type Tags = ReadonlySet<string>;

const anyTag: Tags = new Set(['*']);

/** Placeholder for a parsed tag. No header can contain it. */
const tagRead = '\0';

const tagShape = /(?:W\/)?("[!#-~\x80-\xff]*")/g;

function includes(tags: Tags, tag: string): boolean {
  return tags.has(tag) || tags.has('*');
}

/** The tags of a list, in quotes and without `W/`; undefined for any other text. Linear time. */
export function parseTags(value: string): Tags | undefined {
  if (value.trim() === '*') return anyTag;
  const tags = new Set([...value.matchAll(tagShape)].map(([, tag = '']) => tag));
  const elements = value.replaceAll(tagShape, tagRead).split(',');
  const isList = tags.size > 0 && elements.every((element) => ['', tagRead].includes(element.trim()));
  return isList ? tags : undefined;
}
