import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Actor } from '../../platform/actor.ts';
import type { Membership } from '../../platform/membership.ts';
import { readBody, readQuery, readUpload } from './input.ts';
import type { Spec } from './spec.ts';

/** Names of the parameters in a path such as `/businesses/{businessId}/api-keys/{apiKeyId}`. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** A call by a logged-in person. */
export interface PersonCall<Name extends string, Query, Body> {
  readonly personId: string;
  /** An identifier from the path. */
  readonly param: (name: Name) => string;
  readonly query: Query;
  readonly body: Body;
  /** The person, for the audit log. */
  readonly actor: Actor;
  readonly requestId: string;
  /** Address of the person. */
  readonly clientIp: string;
  /** For operations on the browser's session. */
  readonly req: Request;
  readonly res: Response;
}

/** A call within a business, by a member who may make it. */
export interface BusinessCall<Name extends string, Query, Body> extends PersonCall<Name, Query, Body> {
  readonly businessId: number;
  readonly role: Membership['role'];
}

/** A call before its input is read; `membership` is set under a business. */
export interface RawCall extends Omit<PersonCall<string, unknown, unknown>, 'query' | 'body'> {
  readonly membership: Membership | undefined;
}

/** An implemented operation. */
export interface Operation {
  readonly spec: Spec;
  /** Resolves to the response body. */
  run(call: RawCall): Promise<unknown>;
}

/** Implements an operation on the person's own data. */
export function personOperation<
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Output extends z.ZodType,
>(
  spec: Spec<Path, Query, Body, Output>,
  run: (
    call: PersonCall<ParameterOf<Path>, z.output<Query>, z.output<Body>>,
  ) => Promise<z.input<Output>> | z.input<Output>,
): Operation {
  return {
    spec,
    run: async (raw) => spec.response.parse(await run({ ...raw, ...(await inputOf(spec, raw.req)) })),
  };
}

/** Implements an operation under `/businesses/{businessId}`. */
export function businessOperation<
  Path extends `/businesses/{businessId}${string}`,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Output extends z.ZodType,
>(
  spec: Spec<Path, Query, Body, Output>,
  run: (
    call: BusinessCall<ParameterOf<Path>, z.output<Query>, z.output<Body>>,
  ) => Promise<z.input<Output>> | z.input<Output>,
): Operation {
  return {
    spec,
    run: async (raw) => {
      const { membership } = raw;
      if (membership === undefined) throw new Error(`${spec.id} was called outside a business`);
      return spec.response.parse(await run({ ...raw, ...membership, ...(await inputOf(spec, raw.req)) }));
    },
  };
}

async function inputOf<Query extends z.ZodType, Body extends z.ZodType>(
  { query, body, upload }: Spec<string, Query, Body>,
  req: Request,
): Promise<{ query: z.output<Query>; body: z.output<Body> }> {
  // Read the query first: if it threw while the body is being read, a rejection of the body would be unhandled.
  const parameters = readQuery(query, req);
  const sent = upload === undefined ? readBody(body, req) : readUpload(body, upload, req);
  return { query: parameters, body: await sent };
}
