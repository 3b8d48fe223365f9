import type { IncomingMessage } from 'node:http';
import type { Refusal } from '@platform/protos/vocabulary';
import type { Request, RequestHandler } from 'express';
import {
  badRequest,
  bodyTooLarge,
  type GatewayError,
  methodNotAllowed,
  methodsOfApi,
  misdirected,
} from './errors.ts';
import { type IsOwnHost, parseAbsoluteForm } from './request-target.ts';

/*
 * Rejects requests that two parsers could read differently, before any other step, so that the request that is
 * authorized is the one that is forwarded (RFC 9112 sections 3.2, 6.3 and 11.2).
 */

/** Methods whose requests must declare the length of their body. */
export const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

const hostShape = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Dot segments, empty segments, encoded dots, slashes, backslashes and NUL, and anything that is not a path. */
const ambiguousPath =
  /^[^/]|\/\/|\/\.{1,2}(?:\/|$)|[\\#\p{Cc} ]|%(?:2e|2f|5c|00)|%(?![0-9a-f]{2})|[^\x20-\x7e]/iu;

/** The error for an ambiguous request; undefined for an unambiguous one. */
export function ambiguityOf(req: IncomingMessage, path: string): GatewayError | undefined {
  return (
    ambiguousVersion(req) ??
    ambiguousHeaders(req) ??
    unknownExpectation(req) ??
    ambiguousFraming(req) ??
    ambiguousTarget(path, req.url)
  );
}

/** Expect (RFC 9110 section 10.1.1). */
function unknownExpectation({ headers }: IncomingMessage): GatewayError | undefined {
  if (headers.expect === undefined || headers.expect.toLowerCase() === '100-continue') return undefined;
  return {
    code: 417,
    reason: 'expectation',
    text: 'the only expectation that is met is 100-continue',
    closes: true,
  };
}

function ambiguousVersion(req: IncomingMessage): GatewayError | undefined {
  if (req.httpVersion === '1.1') return undefined;
  return badRequest('http_version', 'HTTP/1.1 is required');
}

/** Far below the 1,000 header fields that Node reads: it drops further ones unseen, here and at upstreams. */
const maxHeaderFields = 200;

function ambiguousHeaders({ rawHeaders, headers }: IncomingMessage): GatewayError | undefined {
  if (rawHeaders.length > 2 * maxHeaderFields) {
    return {
      code: 431,
      reason: 'HPE_HEADER_OVERFLOW',
      text: 'the request headers are too large',
      closes: true,
    };
  }
  if (countOf('host', rawHeaders) !== 1) {
    return badRequest('host_header', 'exactly one Host header is required');
  }
  if (countOf('authorization', rawHeaders) > 1) {
    return badRequest('authorization_header', 'more than one Authorization header');
  }
  if (countOf('content-length', rawHeaders) > 1) {
    return badRequest('content_length', 'more than one Content-Length header');
  }
  if (!hostShape.test(headers.host ?? '')) {
    return badRequest('host_header', 'the Host header is not valid');
  }
  return undefined;
}

/** Occurrences of a header in the raw lines; `headers` joins or drops duplicates. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const received = rawHeaders[i];
    if (received?.length === name.length && received.toLowerCase() === name) count++;
  }
  return count;
}

function ambiguousFraming(req: IncomingMessage): GatewayError | undefined {
  const length = req.headers['content-length'];
  const encoding = req.headers['transfer-encoding'];
  if (encoding !== undefined) {
    if (length !== undefined) return badRequest('framing', 'Transfer-Encoding together with Content-Length');
    if (encoding.toLowerCase() !== 'chunked')
      return badRequest('framing', 'Transfer-Encoding must be chunked');
    if (!bodyMethods.has(req.method ?? '')) {
      return lengthRequired('framing', 'Content-Length is required for a body with this method');
    }
    return undefined;
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    return badRequest('content_length', 'Content-Length is not a number');
  }
  if (length === undefined && bodyMethods.has(req.method ?? '')) {
    return lengthRequired('length_required', 'Content-Length is required');
  }
  return undefined;
}

function lengthRequired(reason: Refusal, text: string): GatewayError {
  return { code: 411, reason, text, closes: true };
}

/** A fragment is no part of a target: an upstream would end the query there, and the check of it would not. */
function ambiguousTarget(path: string, url = ''): GatewayError | undefined {
  if (!ambiguousPath.test(path) && !url.includes('#')) return undefined;
  return badRequest('ambiguous_path', 'the path is ambiguous or malformed');
}

const foreignMethods: ReadonlySet<string> = new Set(['TRACE', 'TRACK', 'CONNECT']);

export interface RefuseAmbiguousDeps {
  readonly maxBodyBytes: number;
  readonly isOwnHost: IsOwnHost;
}

/**
 * Rejects ambiguous requests and, by Content-Length, bodies that are too large. Sets `exchange.path`. A target in absolute-form
 * becomes one in origin-form, and its authority takes the place of Host (RFC 9112 section 3.2.2).
 */
export function refuseAmbiguous({ maxBodyBytes, isOwnHost }: RefuseAmbiguousDeps): RequestHandler {
  return (req, _res, next) => {
    const { exchange } = req;
    const authority = readTarget(req);
    if (foreignMethods.has(req.method)) return exchange.refuse(methodNotAllowed(methodsOfApi));
    const ambiguity = ambiguityOf(req, exchange.path);
    if (ambiguity !== undefined) return exchange.refuse(ambiguity);
    if (authority !== undefined) {
      if (!isOwnHost(authority, req.socket)) return exchange.refuse(misdirected);
      req.headers.host = authority;
    }
    if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) {
      return exchange.refuse(bodyTooLarge(maxBodyBytes));
    }
    next();
  };
}

/** Brings the target into origin-form and sets `exchange.path`. @returns authority of one in absolute-form */
function readTarget(req: Request): string | undefined {
  const absolute = req.url.startsWith('/') ? undefined : parseAbsoluteForm(req.url);
  if (absolute !== undefined) req.url = absolute.url;
  const query = req.url.indexOf('?');
  req.exchange.path = query === -1 ? req.url : req.url.slice(0, query);
  return absolute?.authority;
}
