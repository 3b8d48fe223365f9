import { HttpError } from '@platform/service-kit/http/errors.ts';
import type { Request } from 'express';
import { digest } from '../values.ts';
import { type ApiResponse, errorResponse } from './response.ts';

/*
 * Conditional requests (RFC 9110 section 13). A tag is a digest of the record as it is shown, so it changes with every
 * change of the record and with nothing else. `W/` in front makes no difference in either direction: a proxy that
 * compresses puts it there, and the tag names one state of the record all the same.
 */

/** If-Match and If-None-Match of a request, against the tag of the record that it is about. */
export interface Preconditions {
  /** Whether a reader has this state of the record already. */
  isKnown(tag: string): boolean;
  /** Whether a request may go on with a record in this state. `reading` leaves If-None-Match to `isKnown`. */
  holds(tag: string, request: 'reading' | 'changing'): boolean;
}

/** Entity tag of a record as it is shown, in its quotes. */
export function entityTag(resource: object): string {
  return `"${digest(resource)}"`;
}

/**
 * If-None-Match that cannot be read is as good as none: the reader gets the record. If-Match guards a change and is not
 * passed over.
 * @throws HttpError 400 for If-Match that is no list of entity tags
 */
export function readPreconditions({ headers }: Request): Preconditions {
  const ifMatch = headers['if-match'];
  const allowed = ifMatch === undefined ? anyTag : parseTags(ifMatch);
  if (allowed === undefined) {
    throw new HttpError(400, 'If-Match: must be * or a list of entity tags in double quotes');
  }
  const known = parseTags(headers['if-none-match'] ?? '');
  const isKnown = (tag: string) => known !== undefined && includes(known, tag);
  return {
    isKnown,
    holds: (tag, request) => includes(allowed, tag) && (request === 'reading' || !isKnown(tag)),
  };
}

/** 412, where the record is not in the state that the request names. */
export const preconditionFailed: ApiResponse = errorResponse(
  412,
  'The record is not as If-Match or If-None-Match says',
);

/** GET of a record: 200 with its tag, 304 for a reader that has it, 412 where If-Match names another state. */
export function conditionalResponse(req: Request, resource: object): ApiResponse {
  const preconditions = readPreconditions(req);
  const tag = entityTag(resource);
  if (!preconditions.holds(tag, 'reading')) return preconditionFailed;
  // Kept by the caller alone, for this credential alone, and asked for again each time: access may have ended. What the
  // gateway lets a page read depends on the page's origin.
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Origin' };
  return preconditions.isKnown(tag) ? { status: 304, headers } : { status: 200, body: resource, headers };
}

/** `*` in it stands for every tag. */
type Tags = ReadonlySet<string>;

const anyTag: Tags = new Set(['*']);

/** Stands where a tag was: no header can hold it. */
const tagRead = '\0';

const tagShape = /(?:W\/)?("[!#-~\x80-\xff]*")/g;

function includes(tags: Tags, tag: string): boolean {
  return tags.has(tag) || tags.has('*');
}

/** The tags of a list, in their quotes and without `W/`; undefined where it is none. Takes linear time. */
export function parseTags(value: string): Tags | undefined {
  if (value.trim() === '*') return anyTag;
  const tags = new Set([...value.matchAll(tagShape)].map(([, tag = '']) => tag));
  const elements = value.replaceAll(tagShape, tagRead).split(',');
  const isList = tags.size > 0 && elements.every((element) => ['', tagRead].includes(element.trim()));
  return isList ? tags : undefined;
}
