import { z } from 'zod';
import type { Dashboard } from './dashboard.ts';

const record = z.object({ id: z.string(), lastFour: z.string() });

/** A response with a key string. */
export const withString = z.object({ apiKey: record, keyString: z.string() });

/** Fields of the form for a restricted key in the dashboard. */
export const restricted = {
  name: 'Shop',
  description: 'Fetches orders',
  keyType: 'restricted',
  scopes: ['orders:read', 'business:read'],
};

/** Creates a key in the dashboard, with the password for a secret key. @throws if refused, or if the response is cacheable */
export async function makeKey({ own, confirm }: Dashboard, body: object = restricted) {
  if ('keyType' in body && body.keyType === 'secret') await confirm();
  const response = await own('POST', '/api-keys', body);
  if (response.status !== 201 || response.headers['cache-control'] !== 'no-store') {
    throw new Error(
      `Not 201 and no-store, but ${response.status} ${response.headers['cache-control']}:\n${response.text}`,
    );
  }
  const { apiKey, keyString } = withString.parse(response.json());
  return { ...apiKey, keyString, response: response.json() };
}
