import { z } from 'zod';
import type { HttpResponse } from './http-request.ts';
import type { Platform } from './platform.ts';

/** Status of a call from an address, where the gateway believes its caller about that. */
export async function callFrom(
  platform: Platform,
  key: string,
  path = '/v2/businesses/me',
  address = '192.0.2.7',
  method = 'GET',
): Promise<number> {
  const headers = { 'X-Forwarded-For': address };
  return (await platform.request(0, method, path, { key, headers })).status;
}

const usageResponse = z.object({ hours: z.array(z.record(z.string(), z.unknown())) });

/** Sums over all hours that the dashboard shows: 2xx, 4xx, 429, 5xx. */
export function countsOf(response: HttpResponse): number[] {
  const { hours } = usageResponse.parse(response.json());
  return ['count2xx', 'count4xx', 'count429', 'count5xx'].map((name) =>
    hours.reduce((total, hour) => total + Number(hour[name]), 0),
  );
}
