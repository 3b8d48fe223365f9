import { z } from 'zod';
import type { Role } from '../../platform/role.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Route, rights and schemas of an operation. Paths are relative to `/dashboard-api`; `/businesses/{businessId}` and below
 * are for members of that business.
 */
export interface Spec<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  /** Unique, camelCase; the operationId. */
  readonly id: string;
  readonly method: Method;
  readonly path: Path;
  /** One sentence. */
  readonly summary: string;
  /** Under a business: the least role that may call it, where that is not the one of `neededRole`. */
  readonly role?: Role;
  /** A strict object over strings; `none` without parameters. */
  readonly query: Query;
  /** A strict object; `noBody` without one, `file` with `upload`. */
  readonly body: Body;
  /** Takes a file as it is in place of JSON. */
  readonly upload?: Upload;
  /** Status of success; 200 where absent. */
  readonly status?: 200 | 201 | 204;
  /** Body of a success, `noBody` with 204. Other fields are left out. */
  readonly response: Output;
  /** Media type of a text body; `eventStream` with the second. */
  readonly mediaType?: 'text/csv' | 'text/event-stream';
}

/**
 * The least role in a business that may call an operation; undefined for one on the person's own data. Viewers may only read,
 * unless an operation says otherwise.
 */
export function neededRole({ path, method, role }: Spec): Role | undefined {
  if (!path.startsWith('/businesses/{businessId}')) return undefined;
  return role ?? (method === 'GET' ? 'viewer' : 'developer');
}

/** Files that an operation takes. */
export interface Upload {
  readonly mediaTypes: readonly string[];
  /** Largest file, in bytes. */
  readonly maxBytes: number;
}

/** Body of an operation with `upload`. */
export const file = z.instanceof(Buffer);

/** No query parameters. */
export const none = z.strictObject({});

export const noBody = z.void();

/** Events for a page as long as it listens: names without content, since the page asks for what it shows. */
export type PageEvents = (signal: AbortSignal) => AsyncIterable<string>;

/** Body of a response with server-sent events. */
export const eventStream = z.custom<PageEvents>((value) => typeof value === 'function');

/** Declares an operation, in its exact type. */
export function declare<
  const Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Output extends z.ZodType,
>(spec: Spec<Path, Query, Body, Output>): Spec<Path, Query, Body, Output> {
  return spec;
}
