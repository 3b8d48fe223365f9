/** An endpoint of the reference. `route` is `none` for paths that do not exist. */
interface Endpoint {
  readonly method: string | undefined;
  readonly route: string;
}

/** Endpoints whose requests are in the log. */
export const endpoints: readonly Endpoint[] = [
  { method: 'GET', route: '/v2/order' },
  { method: 'POST', route: '/v2/order' },
  { method: 'GET', route: '/v2/order/{id}' },
  { method: 'PATCH', route: '/v2/order/{id}' },
  { method: 'GET', route: '/v2/businesses/me' },
  { method: 'GET', route: '/v2/events' },
  { method: 'GET', route: '/v2/rate-limit' },
  { method: 'POST', route: '/v2/oauth/token' },
  { method: 'POST', route: '/v2/oauth/revoke' },
  { method: 'GET', route: '/oauth/authorize' },
  { method: undefined, route: 'none' },
];

/** "GET /v2/order" */
export function endpointLabel(method: string | undefined, route: string | null | undefined): string {
  const words = route === null || route === 'none' ? 'unknown paths' : route;
  return [method, words].filter((part) => part !== undefined).join(' ');
}

/** Statuses of the filter: classes, then the codes of the reference. A person may type any other. */
export const statuses: readonly string[] = [
  ...['2xx', '4xx', '5xx'],
  ...['200', '201', '204', '304', '400', '401', '403', '404', '405', '409', '412', '413', '415', '429'],
  ...['500', '502', '503', '504'],
];

/** "2xx succeeded" */
export function statusLabel(status: string): string {
  const words = { '2xx': 'succeeded', '4xx': 'refused', '5xx': 'failed' };
  return status in words ? `${status} ${words[status as keyof typeof words]}` : status;
}
