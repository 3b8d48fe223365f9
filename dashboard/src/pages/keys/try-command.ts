import type { Scope } from '../../api/scopes.ts';
import { curlWith } from '../../parts/curl-with.ts';
import type { ApiKeyType } from './api-keys.ts';

const order = {
  currency: 'EUR',
  line_items: [{ name: 'Test', quantity: 1, unit_amount: 100 }],
  customer: { name: 'Test' },
};

/** A request to paste that a new key may make; undefined where there is none. */
export function tryCommand(
  { keyType, scopes }: { readonly keyType: ApiKeyType; readonly scopes: readonly Scope[] },
  keyString: string,
): string | undefined {
  const may = (scope: Scope) => keyType === 'secret' || scopes.includes(scope);
  if (may('business:read')) return curlWith(keyString);
  if (may('orders:read')) return curlWith(keyString, '/v2/order');
  if (!may('orders:write')) return undefined;
  const body = `  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(order)}'`;
  return `# This makes an order.\n${curlWith(keyString, '/v2/order')} \\\n${body}`;
}
