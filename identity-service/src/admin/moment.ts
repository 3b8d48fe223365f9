/** A moment of the protos (milliseconds since 1970, 0 for none) as RFC 3339 in UTC. */
export function toMoment(unixMs: number): string | null {
  return unixMs === 0 ? null : new Date(unixMs).toISOString();
}
