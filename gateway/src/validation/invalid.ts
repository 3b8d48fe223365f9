import type { InvalidReason } from '@platform/protos/vocabulary';
import type { Request } from 'express';
import type { GatewayError } from '../edge/errors.ts';

/** A request that its document does not accept. */
export interface Invalid {
  readonly error: GatewayError;
  /** Name of the parameter, header or field that it is about; empty for the body as a whole. */
  readonly field: string;
}

/** The check of an operation's requests; undefined for one that its document accepts. */
export type RequestCheck = (req: Request) => Invalid | undefined;

/** 400, in the words of the platform's own services. */
export const invalid = (reason: InvalidReason, field: string, text: string, code = 400): Invalid => ({
  error: { code, reason, text },
  field,
});
