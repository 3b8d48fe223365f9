import type { Endpoint } from '../routes/route-table.ts';

/** Requests from one address. */
export interface AddressUse {
  requests: number;
  /** Answers below 400. */
  successes: number;
  /** Milliseconds since 1970; 0 when nothing succeeded. */
  lastSuccessAt: number;
}

/** Where requests came from and went to. What is too much to tell apart is counted as one. */
export interface Places {
  /** Addresses, and endpoints, that are told apart. */
  readonly maxPlaces: number;
  readonly addresses: Map<string, AddressUse>;
  readonly endpoints: Map<Endpoint, number>;
}

const otherAddresses = '';
const otherEndpoints: Endpoint = { method: '', name: '' };

export function createPlaces(maxPlaces: number): Places {
  return { maxPlaces, addresses: new Map(), endpoints: new Map() };
}

/** `succeededAt`: milliseconds since 1970, 0 for a request that failed. */
export function recordAddress(places: Places, address: string, succeededAt: number): void {
  const use = places.addresses.get(address) ?? newAddress(places, address);
  use.requests++;
  if (succeededAt === 0) return;
  use.successes++;
  use.lastSuccessAt = succeededAt;
}

function newAddress({ addresses, maxPlaces }: Places, address: string): AddressUse {
  const key = addresses.size < maxPlaces ? address : otherAddresses;
  const use = addresses.get(key) ?? { requests: 0, successes: 0, lastSuccessAt: 0 };
  addresses.set(key, use);
  return use;
}

export function recordEndpoint({ endpoints, maxPlaces }: Places, endpoint: Endpoint): void {
  const isNew = !endpoints.has(endpoint);
  const key = isNew && endpoints.size >= maxPlaces ? otherEndpoints : endpoint;
  endpoints.set(key, (endpoints.get(key) ?? 0) + 1);
}
