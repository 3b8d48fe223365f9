import type { BlastRadius } from './api-keys.ts';

/** An endpoint in words: "GET /v2/order/{id}". */
export function endpointName({ method, route }: BlastRadius['endpoints'][number]): string {
  if (route === null) return 'other endpoints';
  if (route === 'none') return 'paths that do not exist';
  return method === null ? `${route}, by a method that it does not have` : `${method} ${route}`;
}
