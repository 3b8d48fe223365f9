import type { Scope } from '@platform/protos/vocabulary';

export { isScope, type Scope, scopes } from '@platform/protos/vocabulary';

/** Description of each scope on the consent page. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  'business:read': 'See the profile of your business: its name, username and logo',
  'events:read': 'See what happens in your business, such as new and paid orders',
  'orders:read': 'See your orders, with what was bought and by whom',
  'orders:write': 'Create orders and change existing ones',
};
