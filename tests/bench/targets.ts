import type { ContenderName, Result, Round } from './contender.ts';
import type { Flood } from './flood.ts';
import type { Overload } from './overload.ts';
import { ratioOf, spreadOf } from './spread.ts';
import { atLeast, atMost, type Target } from './table.ts';

/** The gateway's requests a second over those of another contender, at least. */
const ratios: readonly (readonly [Exclude<ContenderName, 'gateway'>, number])[] = [
  ['Express + http-proxy-middleware, bare', 1.6],
  ['fastify, key check, limit in Redis', 1.2],
  ['fast-gateway, key check, limit in Redis', 1.15],
  ['undici, bare', 0.65],
  ['gateway without authorize and admit', 0.92],
  ['gateway without the line of a request', 0.96],
  ['gateway, cache off', 4],
  ['gateway with traces of 1 %', 0.97],
];

/** CPU per request with reports over that without them, at most. */
const reportsRatio = 1.1;

/** p99 at saturation over that of the fastest of those that check the same, at most. */
const tailRatio = 1.1;

/** Targets of the gateway against those of the others that were measured. */
export function targetsOf(results: readonly Result[]): Target[] {
  const find = (name: ContenderName) => results.find((result) => result.name === name);
  const gateway = find('gateway');
  if (gateway === undefined) throw new Error('the gateway is measured');
  const of = (result: Result, value: (round: Round) => number) => result.rounds.map(value);
  const rates = (result: Result) => of(result, ({ requestsPerSecond }) => requestsPerSecond);
  const targets = ratios.flatMap(([name, wanted]) => {
    const other = find(name);
    if (other === undefined) return [];
    const text = `requests/s over: ${name}`;
    return [atLeast(text, ratioOf(rates(gateway), rates(other)), wanted)];
  });
  const checked = find('fast-gateway, key check, limit in Redis');
  if (checked !== undefined) {
    const tails = (result: Result) => of(result, ({ p99 }) => p99);
    const text = `p99 over that of: ${checked.name}`;
    targets.push(atMost(text, ratioOf(tails(gateway), tails(checked)), tailRatio));
  }
  const reporting = find('gateway that reports');
  if (reporting !== undefined) {
    const cpu = (result: Result) => of(result, ({ cpuMicros }) => cpuMicros);
    targets.push(
      atMost(
        'CPU of a request with reports over it without',
        ratioOf(cpu(reporting), cpu(gateway)),
        reportsRatio,
      ),
    );
  }
  const bare = find('Express + http-proxy-middleware, bare');
  if (bare !== undefined) {
    const added = of(gateway, ({ steadyP99 }) => steadyP99).map(
      (ms, round) => ms - (bare.rounds[round]?.steadyP99 ?? Number.NaN),
    );
    targets.push(atMost('p99 ms added to the bare proxy at half load', spreadOf(added), 1));
  }
  return [...targets, atMost('RSS MB', gateway.rssMegabytes, 200)];
}

/** Targets of the cold path under overload. */
export function overloadTargetsOf({ peak, goodput, recoveryMs, warmShare }: Overload): Target[] {
  return [
    atLeast('cold goodput at three times capacity over its peak', goodput / peak, 0.8),
    atMost('seconds until every request succeeds again', recoveryMs / 1_000, 5),
    atLeast('share of a warm client that succeeds meanwhile', warmShare, 1),
  ];
}

/** Targets of clients with valid keys during a flood of guesses. */
export function floodTargetsOf({ guesses, quietP99, p99, coldShare }: Flood): Target[] {
  return [
    atLeast('guesses refused a second', guesses, 5_000),
    atLeast('share of cold keys that succeeds meanwhile', coldShare, 1),
    atMost('p99 of warm keys over its value before', p99 / quietP99, 2),
  ];
}
