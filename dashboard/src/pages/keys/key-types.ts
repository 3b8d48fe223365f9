import type { ApiKeyType } from './api-keys.ts';

/** What the types are, in plain words. */
export const keyTypes: readonly {
  readonly type: ApiKeyType;
  readonly label: string;
  readonly short: string;
  readonly explanation: string;
}[] = [
  {
    type: 'restricted',
    label: 'Restricted key',
    short: 'Does only what you allow it to do.',
    explanation:
      'For integrations, partners, and scripts with one job. If it ever leaks, nobody can do more with it than that.',
  },
  {
    type: 'secret',
    label: 'Secret key',
    short: 'Does everything that the API can do with your business.',
    explanation: 'For a backend that you run yourself and trust with all of your data.',
  },
];

/** How a type is called in a list. */
export const typeNames: Readonly<Record<ApiKeyType, string>> = { restricted: 'Restricted', secret: 'Secret' };

/** What is still known of a key string: its beginning and its end. */
export function keyHint({
  keyType,
  lastFour,
}: {
  readonly keyType: ApiKeyType;
  readonly lastFour: string;
}): string {
  return `${keyType === 'secret' ? 'sk' : 'rk'}_…${lastFour}`;
}
