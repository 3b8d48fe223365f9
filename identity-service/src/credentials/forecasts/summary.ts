import type { Effect } from './forecast.ts';

/** Addresses or endpoints that are listed at most. */
const maxListed = 100;

/** Places that are listed at most. */
const maxPlaces = 3;

/** Refused requests that share some of their fields. */
interface Group {
  readonly requests: number;
  /** End of the latest, milliseconds since 1970. */
  readonly lastAt: number;
}

interface Endpoint {
  readonly method: string;
  readonly route: string;
}

export interface Summary {
  readonly refused: number;
  readonly reasons: readonly { readonly reason: Effect['reason']; readonly requests: number }[];
  /** All addresses, also those that are not listed. */
  readonly addressCount: number;
  readonly addresses: readonly (Group & { readonly address: string })[];
  readonly endpoints: readonly (Group & Endpoint)[];
  /** Endpoints by address. */
  readonly places: readonly (Group & Endpoint & { readonly address: string })[];
}

/** Refused requests by reason, address and endpoint, the most frequent first. */
export function summarise(effects: readonly Effect[]): Summary {
  const addresses = groupsOf(effects, ({ demand }) => ({ address: demand.clientIp }));
  const endpoint = ({ demand: { method, route } }: Effect) => ({ method, route });
  return {
    refused: effects.reduce((sum, { requests }) => sum + requests, 0),
    reasons: groupsOf(effects, ({ reason }) => ({ reason })),
    addressCount: addresses.length,
    addresses: addresses.slice(0, maxListed),
    endpoints: groupsOf(effects, endpoint).slice(0, maxListed),
    places: groupsOf(effects, (effect) => ({ ...endpoint(effect), address: effect.demand.clientIp })).slice(
      0,
      maxPlaces,
    ),
  };
}

/** @param shared fields that the requests of a group have in common */
function groupsOf<Shared extends object>(
  effects: readonly Effect[],
  shared: (effect: Effect) => Shared,
): (Shared & Group)[] {
  const groups = Map.groupBy(effects, (effect) => JSON.stringify(shared(effect)));
  return [...groups.values()]
    .flatMap(([first, ...rest]) =>
      first === undefined
        ? []
        : [
            {
              ...shared(first),
              requests: rest.reduce((sum, { requests }) => sum + requests, first.requests),
              lastAt: rest.reduce(
                (latest, { demand }) => Math.max(latest, demand.lastAt),
                first.demand.lastAt,
              ),
            },
          ],
    )
    .sort((a, b) => b.requests - a.requests);
}
