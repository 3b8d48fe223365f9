import type { Rotation } from './token-store.ts';

/** Milliseconds after which a rotation that was never settled will not be: whoever made it has gone. */
const settleLimitMs = 10_000;

/** What it means that a refresh token comes which has been used. */
export type Reuse = 'overlapped' | 'reused';

/**
 * Two refreshes at once are a client's accident, a refresh after the answer to another is a stolen token (RFC 9700
 * section 4.14.2). What arrived before the rotation was committed cannot have known of it: it overlapped.
 * @param arrivedAt milliseconds since 1970 on the database's clock
 */
export function judgeReuse({ usedAt, settledAt, readAt }: Rotation, arrivedAt: number): Reuse {
  if (settledAt !== undefined) return arrivedAt < settledAt ? 'overlapped' : 'reused';
  return arrivedAt < usedAt || readAt - usedAt < settleLimitMs ? 'overlapped' : 'reused';
}
