/** Every scope that there is, sorted. */
export const scopes = ['business:read', 'events:read', 'orders:read', 'orders:write'] as const;

export type Scope = (typeof scopes)[number];

export function isScope(candidate: string): candidate is Scope {
  return (scopes as readonly string[]).includes(candidate);
}
