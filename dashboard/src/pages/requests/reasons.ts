/** Why the gateway refuses requests of a known business, as far as one may look for it. */
export const reasons = [
  { reason: 'insufficient_scope', label: 'Scope missing' },
  { reason: 'rate_limited', label: 'Rate limit reached' },
  { reason: 'expired', label: 'Expired' },
  { reason: 'ip_not_allowed', label: 'Address not allowed' },
  { reason: 'business_frozen', label: 'API access frozen' },
  { reason: 'no_route', label: 'No such path' },
  { reason: 'method', label: 'Method not possible' },
  { reason: 'body_too_large', label: 'Body too large' },
  { reason: 'upstream_timeout', label: 'Not answered in time' },
  { reason: 'upstream_failed', label: 'Not answered' },
  { reason: 'upstream_saturated', label: 'Service busy' },
] as const;

export type Reason = (typeof reasons)[number]['reason'];
