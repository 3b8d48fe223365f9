/** Every scope that there is, sorted. */
export const scopes = ['business:read', 'events:read', 'orders:read', 'orders:write'] as const;

export type Scope = (typeof scopes)[number];

export function isScope(candidate: string): candidate is Scope {
  return (scopes as readonly string[]).includes(candidate);
}

/** What each scope lets an application do, in the words of the person who is asked. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  'business:read': 'See the profile of your business: its name, username and logo',
  'events:read': 'See what happens in your business, such as new and paid orders',
  'orders:read': 'See your orders, with what was bought and by whom',
  'orders:write': 'Create orders and change existing ones',
};
