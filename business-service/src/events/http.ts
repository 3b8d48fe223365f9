import type { Request } from 'express';
import type { Endpoint } from '../web/endpoint.ts';
import { readQuery } from '../web/input.ts';
import { type ApiResponse, errorResponse, insufficientScope, invalidResponse } from '../web/response.ts';
import { readableTypes } from './event.ts';
import { type FeedDeps, type FeedPage, type FeedResult, readFeed } from './operations.ts';
import { eventQueryParameters } from './query.ts';

export interface ListEventsDeps extends FeedDeps {
  /** Aborts when the service ends: requests that wait get their response. */
  readonly stopping: AbortSignal;
}

/** GET /events */
export function listEvents(deps: ListEventsDeps): Endpoint {
  return async ({ businessId, applicationId, scopes }, req) => {
    const { after, types: asked, limit, wait } = readQuery(eventQueryParameters, req);
    const access = readableTypes(asked, { scopes, applicationId });
    if (access.kind === 'denied') return insufficientScope(access.missing);
    if (access.kind === 'closed') return errorResponse(403);
    const signal = AbortSignal.any([deps.stopping, closedSignal(req)]);
    const query = { businessId, applicationId, after, types: access.types, limit, wait };
    const result = await readFeed(deps, query, signal);
    const response = responseOf(result, deps.events.keptDays);
    return deps.stopping.aborted
      ? { ...response, headers: { ...response.headers, Connection: 'close' } }
      : response;
  };
}

function responseOf(result: FeedResult, keptDays: number): ApiResponse {
  switch (result.kind) {
    case 'page':
      return { status: 200, json: pageText(result.page) };
    case 'foreign_cursor':
      return invalidResponse(
        { reason: 'invalid_query', field: 'after' },
        'after: is not a cursor of this business',
      );
    case 'expired_cursor':
      return errorResponse(410, `after: events after this cursor are older than ${keptDays} days`);
    case 'banned':
      return errorResponse(403);
  }
}

// Joins texts instead of serializing a page, so that the bodies have the same bytes as in deliveries.
function pageText({ bodies, nextCursor }: FeedPage): string {
  return `{"data":[${bodies.join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`;
}

/** Aborts when the connection has closed, also where it closed before the request was admitted: Node says so only once. */
function closedSignal({ res }: Request): AbortSignal {
  const closed = new AbortController();
  if (res?.closed) closed.abort();
  else res?.once('close', () => closed.abort());
  return closed.signal;
}
