import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Breakers } from './breaker.ts';
import { type Claimant, type EndTurn, FairTurns, type FairTurnsOptions } from './fair-turns.ts';

const options: FairTurnsOptions = {
  total: 8,
  perOwner: 6,
  endpointLimit: () => 5,
  maxWaiting: 1_000,
  maxWaitingPerEndpoint: 1_000,
};

const { signal } = new AbortController();

/** A wait that no test lasts. */
const long = 60_000;

const claimant = (endpointId: string, ownerId = `owner of ${endpointId}`): Claimant => ({
  endpointId,
  ownerId,
});

const taken = (turn: EndTurn | undefined): EndTurn => {
  if (turn === undefined) throw new Error('no turn');
  return turn;
};

/** Lets resolved promises be seen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an endpoint has at most five turns, an owner six, all together eight', async () => {
  const turns = new FairTurns(options);
  const names = ['a1', 'a1', 'a1', 'a1', 'a1', 'a1', 'a2', 'a2', 'b1', 'b1', 'b1'];
  const started: string[] = [];
  const giveUp = new AbortController();
  const all = names.map(async (name) => {
    const turn = await turns.take(claimant(name, name.slice(0, 1)), long, giveUp.signal);
    if (turn !== undefined) started.push(name);
  });
  await settled();
  expect(started).toEqual(['a1', 'a1', 'a1', 'a1', 'a1', 'a2', 'b1', 'b1']);
  expect([turns.inFlight, turns.waiting]).toEqual([8, 3]);
  giveUp.abort();
  await Promise.all(all);
  expect([turns.inFlight, turns.waiting]).toEqual([8, 0]);
});

test('owners come in a circle, and their endpoints in a circle: a flood delays another by one turn', async () => {
  const turns = new FairTurns({ ...options, total: 1 });
  const order: string[] = [];
  const work = async (name: string, owner: string) => {
    const end = taken(await turns.take(claimant(name, owner), long, signal));
    order.push(name);
    await settled();
    end();
  };
  const flood = Array.from({ length: 6 }, () => work('a1', 'a'));
  await Promise.all([...flood, work('a2', 'a'), work('a2', 'a'), work('b1', 'b'), work('b1', 'b')]);
  expect(order).toEqual(['a1', 'a1', 'b1', 'a2', 'b1', 'a1', 'a2', 'a1', 'a1', 'a1']);
  expect([turns.inFlight, turns.waiting]).toEqual([0, 0]);
});

test('fifty endpoints that never respond leave turns for a healthy one', async () => {
  const breakers = new Breakers();
  const turns = new FairTurns({
    ...options,
    total: 64,
    perOwner: 20,
    endpointLimit: (endpointId) => breakers.limit(endpointId, 0),
  });
  const giveUp = new AbortController();
  const dead = Array.from({ length: 50 * 10 }, (_, count) =>
    turns.take(claimant(`dead ${count % 50}`, `owner ${count % 10}`), long, giveUp.signal),
  );
  expect(turns.inFlight).toBe(50);
  breakers.record('healthy', false, 0);
  const healthy = claimant('healthy');
  for (let count = 0; count < 100; count++) {
    expect(turns.isBusy(healthy)).toBe(false);
    taken(await turns.take(healthy, long, signal))();
  }
  giveUp.abort();
  expect((await Promise.all(dead)).filter((turn) => turn !== undefined)).toHaveLength(50);
});

test('an open circuit has no turns; half-open, the next attempt takes one, and the longest waiting gets it', async () => {
  let limit = 0;
  const turns = new FairTurns({ ...options, endpointLimit: () => limit });
  const order: number[] = [];
  const first = turns.take(claimant('a'), long, signal).then((end) => {
    order.push(1);
    return taken(end);
  });
  await settled();
  expect([order, turns.isBusy(claimant('a'))]).toEqual([[], true]);
  limit = 1;
  const second = turns.take(claimant('a'), long, signal).then((end) => {
    order.push(2);
    return taken(end);
  });
  await settled();
  expect(order).toEqual([1]);
  (await first)();
  (await second)();
  expect(order).toEqual([1, 2]);
});

test('who waits too long, or for nothing, gets no turn and holds none', async () => {
  const turns = new FairTurns({ ...options, total: 1, maxWaitingPerEndpoint: 1 });
  const end = taken(await turns.take(claimant('a'), long, signal));
  expect(await turns.take(claimant('b'), 1, signal)).toBeUndefined();
  const stop = new AbortController();
  const waiting = turns.take(claimant('b'), long, stop.signal);
  expect(await turns.take(claimant('b'), long, signal)).toBeUndefined();
  stop.abort();
  expect(await waiting).toBeUndefined();
  expect(await turns.take(claimant('b'), long, stop.signal)).toBeUndefined();
  expect([turns.inFlight, turns.waiting]).toEqual([1, 0]);
  end();
  end();
  expect(turns.inFlight).toBe(0);
  expect(turns.isBusy(claimant('a'))).toBe(false);
});

test('whatever comes and ends in whatever order, no limit is passed and every attempt has its turn', async () => {
  const step = fc.record({ endpoint: fc.integer({ min: 0, max: 9 }), ends: fc.nat({ max: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const turns = new FairTurns(options);
      const running: { readonly who: Claimant; readonly end: EndTurn }[] = [];
      const all: Promise<unknown>[] = [];
      const check = () => {
        const most = (key: keyof Claimant) =>
          Math.max(
            0,
            ...[...Map.groupBy(running, ({ who }) => who[key]).values()].map(({ length }) => length),
          );
        expect(running.length).toBeLessThanOrEqual(8);
        expect(most('endpointId')).toBeLessThanOrEqual(5);
        expect(most('ownerId')).toBeLessThanOrEqual(6);
        expect(turns.inFlight).toBe(running.length);
      };
      for (const { endpoint, ends } of steps) {
        const who = claimant(`e${endpoint}`, `o${endpoint % 3}`);
        all.push(turns.take(who, long, signal).then((end) => running.push({ who, end: taken(end) })));
        await settled();
        check();
        for (const { end } of running.splice(0, ends)) end();
        await settled();
        check();
      }
      while (running.length > 0) {
        for (const { end } of running.splice(0)) end();
        await settled();
        check();
      }
      await Promise.all(all);
      expect(turns.waiting).toBe(0);
    }),
    { numRuns: 50 },
  );
});
