import type { RateLimitState } from '../principal.ts';

/**
 * Sets the rate limit headers: the fields of draft-ietf-httpapi-ratelimit-headers, and the X- names that most clients read.
 * Times are seconds from now, rounded up.
 */
export function setRateLimitHeaders(
  headers: Record<string, string>,
  { limit, used, resetMs }: RateLimitState,
): void {
  const remaining = Math.max(0, limit - used);
  const reset = Math.max(1, Math.ceil(resetMs / 1000));
  headers['RateLimit-Policy'] = `"hour";q=${limit};w=3600`;
  headers.RateLimit = `"hour";r=${remaining};t=${reset}`;
  headers['X-RateLimit-Limit'] = String(limit);
  headers['X-RateLimit-Remaining'] = String(remaining);
  headers['X-RateLimit-Reset'] = String(reset);
}
