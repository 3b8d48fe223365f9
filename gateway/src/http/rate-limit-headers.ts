import type { RateLimitState } from '../admission/gatekeeper.ts';

/**
 * How a caller learns where it stands: the fields of draft-ietf-httpapi-ratelimit-headers, and the X- names that most
 * clients read. All times are seconds from now, rounded up.
 */
export function rateLimitHeaders({ limit, used, resetMs }: RateLimitState): Record<string, string> {
  const remaining = Math.max(0, limit - used);
  const reset = Math.max(1, Math.ceil(resetMs / 1000));
  return {
    'RateLimit-Policy': `"hour";q=${limit};w=3600`,
    RateLimit: `"hour";r=${remaining};t=${reset}`,
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
  };
}
