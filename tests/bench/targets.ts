import type { ContenderName, Result } from './contender.ts';
import type { Flood } from './flood.ts';
import type { Overload } from './overload.ts';
import type { Target } from './table.ts';

/** The gateway's requests a second over those of another contender, at least. */
const ratios: readonly (readonly [Exclude<ContenderName, 'gateway'>, number])[] = [
  ['Express + http-proxy-middleware, bare', 1.6],
  ['fastify, key check, limit in Redis', 1.2],
  ['fast-gateway, key check, limit in Redis', 1.15],
  ['undici, bare', 0.65],
  ['gateway without authorize and admit', 0.92],
  ['gateway without the line of a request', 0.96],
  ['gateway, cache off', 4],
];

/** Share that traces of one request in a hundred leave of the gateway's requests a second, at least. */
const tracedShare = 0.97;

/** Targets of the gateway against those of the others that were measured. */
export function targetsOf(results: readonly Result[]): Target[] {
  const find = (name: ContenderName) => results.find((result) => result.name === name);
  const gateway = find('gateway');
  const traced = find('gateway with traces of 1 %');
  const bare = find('Express + http-proxy-middleware, bare');
  if (gateway === undefined || traced === undefined || bare === undefined)
    throw new Error('the gateway, with traces too, and the bare proxy are measured');
  const overOthers = ratios.flatMap(([name, wanted]) => {
    const other = find(name);
    if (other === undefined) return [];
    const ratio = gateway.requestsPerSecond / other.requestsPerSecond;
    return [atLeast(`requests/s over: ${name}, at least ${wanted}`, ratio, wanted)];
  });
  const added = gateway.steadyP99 - bare.steadyP99;
  return [
    ...overOthers,
    atLeast(
      `requests/s with traces of 1 % over: gateway, at least ${tracedShare}`,
      traced.requestsPerSecond / gateway.requestsPerSecond,
      tracedShare,
    ),
    atMost('p99 ms added to the bare proxy at 500 requests/s, at most 1', added, 1),
    atMost('RSS MB, at most 200', gateway.rssMegabytes, 200),
  ];
}

/** Targets of the cold path under overload. */
export function overloadTargetsOf({ peak, goodput, recoveryMs, warmShare }: Overload): Target[] {
  return [
    atLeast('cold goodput at three times capacity over its peak, at least 0.8', goodput / peak, 0.8),
    atMost('seconds until every request succeeds again, at most 5', recoveryMs / 1_000, 5),
    atLeast('share of a warm client that succeeds meanwhile, at least 1', warmShare, 1),
  ];
}

/** Targets of clients with valid keys during a flood of guesses. */
export function floodTargetsOf({ guesses, quietP99, p99, coldShare }: Flood): Target[] {
  return [
    atLeast('guesses refused a second, at least 5000', guesses, 5_000),
    atLeast('share of cold keys that succeeds meanwhile, at least 1', coldShare, 1),
    atMost('p99 of warm keys over its value before, at most 2', p99 / quietP99, 2),
  ];
}

export function atLeast(text: string, value: number, wanted: number): Target {
  return { text, value, reached: value >= wanted };
}

export function atMost(text: string, value: number, wanted: number): Target {
  return { text, value, reached: value <= wanted };
}
