import { isIP } from 'node:net';
import { z } from 'zod';
import { maxInstant } from '../platform/text.ts';
import type { credentialTypes } from './request-log.ts';

/** A key string or access token that was rotated, deleted or revoked, and whose it was. It attributes calls, and permits none. */
export interface RetiredString {
  readonly id: string;
  readonly businessId: number;
  readonly credentialType: Exclude<(typeof credentialTypes)[number], 'client'>;
  readonly credentialId: string;
  /** The API key or the Grant. */
  readonly limitId: string;
}

/** Finds a retired string by any of the hashes under which it may be stored. @param endsAt deadline in monotonic milliseconds */
export type FindRetired = (hashes: readonly Buffer[], endsAt: number) => Promise<RetiredString | undefined>;

/** Why and when a string ended. */
export interface RetiredEnd {
  /** rotated, deleted, revoked, or why the Grant ended. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Calls since its end with a retired key string, or with the tokens of a connection together. */
export interface RetiredUse {
  /** The API key or the Grant. */
  readonly limitId: string;
  /** Of a key string. */
  readonly lastFour: string | undefined;
  /** rotated, deleted, revoked, or why the Grant ended. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly retiredAt: number;
  readonly calls: number;
  /** Milliseconds since 1970. */
  readonly lastCallAt: number;
  /** Of the last calls, the latest first. */
  readonly addresses: readonly string[];
}

const maxCalls = 1_000;

/** Addresses that are kept of a string. */
export const maxAddresses = 3;

const retiredCallsSchema = z.object({
  retiredId: z.uuid(),
  requests: z.int().min(1).max(4_294_967_295),
  lastAt: z.int().min(0).max(maxInstant),
  addresses: z
    .array(z.string().refine((text) => isIP(text) !== 0, 'must be an IP address'))
    .max(maxAddresses),
});

/** One report of a gateway. */
export const retiredBatchSchema = z.object({
  batchId: z.uuid(),
  calls: z
    .array(retiredCallsSchema)
    .max(maxCalls)
    .refine(
      (calls) => new Set(calls.map(({ retiredId }) => retiredId)).size === calls.length,
      'a string may occur only once',
    ),
});

export type RetiredBatch = z.output<typeof retiredBatchSchema>;
