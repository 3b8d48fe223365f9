import type { EdgeResponse, Exchange } from '../http/exchange.ts';
import { accessEnded } from '../http/gateway-error.ts';

/** Milliseconds between two looks at the credential of a response that goes on. */
const everyMs = 2_000;
/** Milliseconds of silence after which a stream is given up; events and pings come more often. */
export const streamIdleMs = 60_000;

/** Cuts a response that goes on when its credential has ended: revoked, expired, frozen, moved off the whitelist. */
export function watchAccess(exchange: Exchange, response: EdgeResponse): void {
  const { recheck } = exchange;
  if (recheck === undefined) return;
  let isAsking = false;
  const look = async () => {
    if (isAsking) return;
    isAsking = true;
    const isAllowed = await recheck();
    isAsking = false;
    if (!isAllowed) exchange.refuse(accessEnded);
  };
  const timer = setInterval(() => look().catch((error: unknown) => exchange.fail(error)), everyMs);
  response.once('close', () => clearInterval(timer));
}
