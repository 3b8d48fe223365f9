import type { InvalidReason } from '@platform/protos/vocabulary';
import type { Violation } from './violation.ts';

/** A part of a request that its document does not accept; the text is public. */
export interface Invalid extends Violation {
  readonly reason: InvalidReason | 'body_too_large';
  /** 400 where absent. */
  readonly status?: number;
}
