import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventFeedService } from '@platform/protos/business';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc/client.ts';
import {
  type BusinessPlatform,
  orderBody,
  signPassport,
  startBusinessPlatform,
} from '../harness/business-platform.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { callPatience } from '../harness/patience.ts';

/*
 * business.v1.EventFeedService on two replicas, as the service that delivers events reads it.
 */

type Client = GrpcClient<typeof eventFeedService>;

let platform: BusinessPlatform;
let clients: readonly Client[];
let rpc: Client['rpc'];
beforeAll(async () => {
  platform = await startBusinessPlatform({ replicas: 2 });
  clients = platform.services.map(({ ports }) =>
    createGrpcClient(eventFeedService, {
      target: `ipv4:127.0.0.1:${ports.grpc}`,
      tls: { kind: 'plain' },
      ...callPatience,
    }),
  );
  const [first] = clients;
  if (first === undefined) throw new Error('no client');
  rpc = first.rpc;
});
afterAll(async () => {
  for (const { close } of clients) close();
  await platform.close();
});

const call = { deadlineMs: 30_000 };
const readers: AbortController[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.abort();
});

async function newBusiness() {
  const businessId = await platform.businesses.createVerifiedBusiness('heads');
  const passport = await signPassport(businessId);
  const post = async (body: object = orderBody) => {
    const response = await platform.call('POST', '/order', { passport, body });
    expect(response.status).toBe(201);
    return response;
  };
  const feed = async () => (await platform.call('GET', '/events?limit=100', { passport })).text;
  return { businessId, post, feed };
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

describe('ReadEvents', () => {
  test('returns every event in order, with the same bytes as the public feed', async () => {
    const { businessId, post, feed } = await newBusiness();
    const order = await post({ ...orderBody, customer: { name: 'Zoë Ωmega 🫖' } });
    const { events, lastSequence } = await rpc.ReadEvents({ businessId, afterSequence: 0, limit: 500 }, call);
    expect([events.map(({ sequence }) => sequence), lastSequence]).toEqual([range(1, 4), 4]);
    expect(JSON.parse(events[3]?.data ?? '')).toEqual(order.json());
    const bodies = events.map(({ id, type, createdAtUnixMs, uniqueId, sequence, data }) => {
      const head = {
        id,
        type,
        timestamp: new Date(createdAtUnixMs),
        business: uniqueId,
        sequence,
        previous: sequence - 1,
      };
      return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`;
    });
    expect(await feed()).toContain(`{"data":[${bodies.join(',')}],`);
    const rest = await rpc.ReadEvents({ businessId, afterSequence: 2, limit: 1 }, call);
    expect([rest.events.map(({ sequence }) => sequence), rest.lastSequence]).toEqual([[3], 4]);
  });

  test('has as many events as fit into a message, and at least one', async () => {
    const { businessId } = await newBusiness();
    // Larger than the API accepts today.
    await platform.sql(
      `WITH counter AS (UPDATE business_counters SET last_event_sequence = 13 WHERE business_id = $1)
       INSERT INTO events (business_id, sequence, id, type, payload, created_at)
       SELECT $1, n, 'evt_' || md5(random()::text), 'order.updated',
         json_build_object('text', repeat('x', CASE n WHEN 4 THEN 900000 ELSE 180000 END)), now()
       FROM generate_series(4, 13) AS n`,
      [businessId],
    );
    const seen: number[] = [];
    const sizes: number[] = [];
    while (seen.at(-1) !== 13) {
      const request = { businessId, afterSequence: seen.at(-1) ?? 0, limit: 500 };
      const { events, lastSequence } = await rpc.ReadEvents(request, call);
      expect(lastSequence).toBe(13);
      sizes.push(events.length);
      seen.push(...events.map(({ sequence }) => sequence));
    }
    expect(seen).toEqual(range(1, 13));
    expect(sizes).toEqual([3, 1, 4, 4, 1]);
  });

  test.each([
    [{ afterSequence: -1 }, 'after_sequence'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 501 }, 'limit'],
    [{ businessId: 0 }, 'business_id'],
  ])('refuses %j', async (change, field) => {
    const request = { businessId: platform.businessId, afterSequence: 0, limit: 1, ...change };
    await expect(rpc.ReadEvents(request, call)).rejects.toMatchObject({
      kind: 'invalid_argument',
      message: expect.stringContaining(field),
    });
  });

  test('of an unknown business is NOT_FOUND', async () => {
    const request = { businessId: 2_147_483_647, afterSequence: 0, limit: 1 };
    await expect(rpc.ReadEvents(request, call)).rejects.toMatchObject({ reason: 'business_not_found' });
  });
});

describe('FindAuthor', () => {
  const authorOf = (businessId: number, eventId: string) => rpc.FindAuthor({ businessId, eventId }, call);

  test('names the API key, the application or the person that made a change, and none for others', async () => {
    const { businessId, feed } = await newBusiness();
    const ofToken = { sub: 'tok_1', credential_type: 'access_token', application_id: 'apl_1' };
    const key = await signPassport(businessId, { sub: 'key_1' });
    const token = await signPassport(businessId, ofToken);
    const order = await platform.call('POST', '/order', { passport: key, body: orderBody });
    const { id } = order.json() as { id: string };
    await platform.call('PATCH', `/order/${id}`, { passport: token, body: { status: 'paid' } });
    const updateMask = { paths: ['account_holder'] };
    await platform.businesses.businessRpc.UpdateBusiness(
      { businessId, accountHolder: 'Coffee Ltd', updateMask, personId: 'per_1' },
      call,
    );
    const { events } = await rpc.ReadEvents({ businessId, afterSequence: 2, limit: 500 }, call);
    const authors = await Promise.all(events.map((event) => authorOf(businessId, event.id)));
    expect(authors.map((author, index) => [events[index]?.type, author])).toEqual([
      ['business.verified', { isKept: true, credentialId: '' }],
      ['order.created', { isKept: true, credentialId: 'key_1' }],
      ['order.paid', { isKept: true, credentialId: 'apl_1' }],
      ['business.updated', { isKept: true, credentialId: 'per_1' }],
    ]);
    for (const text of [JSON.stringify(events), await feed()])
      expect(text).not.toMatch(/key_1|tok_1|apl_1|per_1/);
  });

  test('knows the events of the business alone', async () => {
    const [one, another] = [await newBusiness(), await newBusiness()];
    const { events } = await rpc.ReadEvents({ businessId: one.businessId, afterSequence: 0, limit: 1 }, call);
    for (const id of [events[0]?.id ?? '', 'evt_00000000000000000000']) {
      expect(await authorOf(another.businessId, id)).toEqual({ isKept: false, credentialId: '' });
    }
  });
});

describe('ListHeads', () => {
  test('returns each business once, page by page, the oldest change first', async () => {
    const [one, another] = [await newBusiness(), await newBusiness()];
    await one.post();
    const heads = [];
    let pageToken = '';
    do {
      const page = await rpc.ListHeads({ changedSinceUnixMs: 0, limit: 1, pageToken }, call);
      heads.push(...page.heads);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    const ids = heads.map(({ businessId }) => businessId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(-2)).toEqual([another.businessId, one.businessId]);
    expect(heads.slice(-2).map(({ lastSequence }) => lastSequence)).toEqual([3, 4]);
    const since = heads.at(-1)?.changedAtUnixMs ?? 0;
    const { heads: last } = await rpc.ListHeads(
      { changedSinceUnixMs: since, limit: 10, pageToken: '' },
      call,
    );
    expect(last).toEqual(heads.slice(-1));
    const none = await rpc.ListHeads({ changedSinceUnixMs: since + 1, limit: 10, pageToken: '' }, call);
    expect(none).toEqual({ heads: [], nextPageToken: '', nowUnixMs: expect.any(Number) });
    expect(none.nowUnixMs).toBeGreaterThanOrEqual(since);
  });

  test.each([
    [{ limit: 1_001 }, 'limit'],
    [{ changedSinceUnixMs: -1 }, 'changed_since_unix_ms'],
    [{ pageToken: 'abc' }, 'page_token'],
  ])('refuses %j', async (change, field) => {
    const request = { changedSinceUnixMs: 0, limit: 1, pageToken: '', ...change };
    await expect(rpc.ListHeads(request, call)).rejects.toMatchObject({
      kind: 'invalid_argument',
      message: expect.stringContaining(field),
    });
  });
});

/** Heads of one replica, collected from now on. */
function follow(replica: number) {
  const reader = new AbortController();
  readers.push(reader);
  const last = new Map<number, number>();
  const following = { last, error: undefined as unknown, isOver: false };
  const read = async () => {
    const stream = clients[replica]?.streams.WatchHeads({}, { signal: reader.signal }) ?? [];
    try {
      for await (const { businessId, lastSequence } of stream) last.set(businessId, lastSequence);
    } catch (error) {
      following.error = error;
    }
    following.isOver = true;
  };
  void read();
  return following;
}

/** A stream that has begun: its first head has come. Begins again where a replica has just lost its notifications. */
async function begun(replica: number) {
  const { businessId, post } = await newBusiness();
  let following = follow(replica);
  await expectEventually(
    async () => {
      if (following.isOver) following = follow(replica);
      await post();
      expect(following.last.has(businessId)).toBe(true);
    },
    { withinMs: 5_000, everyMs: 100 },
  );
  return following;
}

describe('WatchHeads', () => {
  test('returns the head of every change, regardless of the replica that made it', async () => {
    const followers = [await begun(0), await begun(1)];
    const businesses = await Promise.all(range(0, 4).map(newBusiness));
    await Promise.all(businesses.flatMap(({ post }) => range(0, 6).map(() => post())));
    let head = 9;
    const haveAll = async () => {
      // On a busy machine a replica may lose its notifications meanwhile, and says so.
      for (const [replica, { isOver, error }] of followers.entries()) {
        if (!isOver) continue;
        expect(error).toMatchObject({ reason: 'changes_missed' });
        followers[replica] = await begun(replica);
        await Promise.all(businesses.map(({ post }) => post()));
        head++;
      }
      for (const { last } of followers)
        expect(businesses.map(({ businessId }) => last.get(businessId))).toEqual(Array(4).fill(head));
    };
    await expectEventually(haveAll, { withinMs: 5_000 });
  });

  test('ends as unavailable when notifications were lost, and a new one works', async () => {
    const follower = await begun(0);
    const killed = await platform.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'business-service notifications'`,
    );
    expect(killed).toHaveLength(2);
    await expectEventually(() => expect(follower.isOver).toBe(true), { withinMs: 5_000 });
    expect(follower.error).toMatchObject({ kind: 'unavailable', reason: 'changes_missed' });
    await begun(0);
  });

  test('does not prevent its replica from stopping, and ends as unavailable', async () => {
    const follower = await begun(1);
    await platform.services[1]?.stop();
    await expectEventually(() => expect(follower.isOver).toBe(true), { withinMs: 5_000 });
    expect(follower.error).toMatchObject({ kind: 'unavailable' });
    await platform.services[1]?.start();
  });
});
