import type { RedisClient } from '@platform/service-kit/redis/redis.ts';
import { z } from 'zod';
import { type LoggedEvent, loggedEvent } from './revocation.ts';

/** Written by this process with each page. After Redis has lost recent data, it has another value or none. */
export interface LogMark {
  readonly processId: string;
  /** Empty where nothing is expected. */
  readonly expected: string;
  readonly next: string;
}

/*
 * The log of revocations in Redis, beside the credential generations. It is outside the database, so it survives a restore of
 * an older backup. If Redis loses it, it is rebuilt from the database, which has everything unless it is lost as well. All
 * keys are in one slot of a Redis Cluster.
 */

/** Sorted set of events, JSON text by time. Adding an event twice changes nothing. */
const eventsKey = '{revocations}:events';

/** Sorted set of Grants by the time of the last rotation of their refresh token. */
const rotationsKey = '{revocations}:rotations';

/** Hash of the position up to which the database has been read. */
export const positionKey = '{revocations}:position';

/** Key of the mark of a process. */
const markKey = (processId: string) => `{revocations}:mark:${processId}`;

/** Milliseconds for which a mark is kept after a page. */
const markMs = 60_000;

/** Days for which entries of the log are kept. Older backups cannot be restored with it. */
export const logDays = 35;

export const logMs = logDays * 86_400_000;

/** How far the database has been read into the log. Times are milliseconds since 1970, of the database. */
export interface LogPosition {
  /** Last audit event up to which none is missing. */
  readonly after: number;
  /** Time up to which no rotation is missing. */
  readonly rotatedUntil: number;
  /** The latest audit event that was read: a database without it is older than the log. */
  readonly last: number;
  /** When that was, in milliseconds since 1970. Undefined where it is not known. */
  readonly lastAt: number | undefined;
  /** Whether everything before was read. */
  readonly complete: boolean;
}

/** Identifies an audit event. A restored database may assign its id again, but not with the same time. */
export interface AuditPosition {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** When the refresh token of a Grant was last rotated, in milliseconds since 1970. */
export interface Rotation {
  readonly grantId: string;
  readonly at: number;
}

export interface LogPage {
  readonly events: readonly LoggedEvent[];
  readonly rotations: readonly Rotation[];
  readonly mark: LogMark;
}

/*
 * Adds a page, unless the log was lost since the position was read, because then the page would hide a gap.
 * KEYS: events, rotations, position, mark. ARGV: position as it was read ('' for none), new position (after, rotatedUntil, last,
 * lastAt, complete), time before which entries are dropped, number of events, mark that is expected ('' for none), next mark and
 * the time for which it is kept, then time and member of each event and each rotation. lastAt is stored with its event. A log
 * that grows no longer belongs to a finished restore.
 */
const appendScript = `
local known = redis.call('HGET', KEYS[3], 'after') or ''
if known == '' and ARGV[1] ~= '' then return 0 end
if ARGV[1] ~= '' and tonumber(known) < tonumber(ARGV[1]) then return 0 end
if ARGV[9] ~= '' and redis.call('GET', KEYS[4]) ~= ARGV[9] then return 0 end
redis.call('SET', KEYS[4], ARGV[10], 'PX', ARGV[11])
local first = 12
for i = 1, tonumber(ARGV[8]) do
  redis.call('ZADD', KEYS[1], ARGV[first], ARGV[first + 1])
  first = first + 2
end
for i = first, #ARGV, 2 do
  redis.call('ZADD', KEYS[2], 'GT', ARGV[i], ARGV[i + 1])
end
local function raise(field, value)
  local current = tonumber(redis.call('HGET', KEYS[3], field) or 0)
  redis.call('HSET', KEYS[3], field, string.format('%d', math.max(current, tonumber(value))))
end
raise('after', ARGV[2])
raise('rotatedUntil', ARGV[3])
raise('last', ARGV[4])
if ARGV[5] ~= '' and redis.call('HGET', KEYS[3], 'last') == ARGV[4] then
  redis.call('HSET', KEYS[3], 'lastEvent', ARGV[4] .. ' ' .. ARGV[5])
end
if ARGV[6] == '1' then redis.call('HSET', KEYS[3], 'complete', '1') end
redis.call('HDEL', KEYS[3], 'finished')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[7])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[7])
return 1`;

const positionReply = z.tuple([
  z.coerce.number().nullable(),
  z.coerce.number().nullable(),
  z.coerce.number().nullable(),
  z.string().nullable(),
  z.string().nullable(),
]);

const eventText = z.string().transform((text) => loggedEvent.parse(JSON.parse(text)));

/** Entries that are read at once. */
const readSize = 1_000;

export type RevocationLog = ReturnType<typeof createRevocationLog>;

export function createRevocationLog(redis: RedisClient) {
  return {
    /** Undefined where there is no log, or no longer. */
    position: async (): Promise<LogPosition | undefined> => {
      const reply = await redis.hmget(positionKey, 'after', 'rotatedUntil', 'last', 'lastEvent', 'complete');
      const [after, rotatedUntil, last, lastEvent, complete] = positionReply.parse(reply);
      if (after === null) return undefined;
      return {
        after,
        rotatedUntil: rotatedUntil ?? 0,
        last: last ?? 0,
        lastAt: timeOfEvent(lastEvent, last),
        complete: complete === '1',
      };
    },
    /** The last argument of `restart`, until a service reads the database into the log. */
    finished: async (): Promise<string | undefined> =>
      (await redis.hget(positionKey, 'finished')) ?? undefined,
    /** False when the log was lost since its position was read. @param keepFrom time before which entries are dropped */
    append: async (
      read: LogPosition | undefined,
      next: LogPosition,
      { events, rotations, mark }: LogPage,
      keepFrom: number,
    ): Promise<boolean> => {
      const { after, rotatedUntil, last, lastAt = '', complete } = next;
      const position = [after, rotatedUntil, last, lastAt, complete ? 1 : 0];
      const entries = [
        ...events.flatMap((event) => [event.at, JSON.stringify(event)]),
        ...rotations.flatMap(({ grantId, at }) => [at, grantId]),
      ];
      const { processId, expected, next: nextMark } = mark;
      const keys = [eventsKey, rotationsKey, positionKey, markKey(processId)];
      const marks = [expected, nextMark, markMs];
      const args = [read?.after ?? '', ...position, keepFrom, events.length, ...marks, ...entries];
      return (await redis.eval(appendScript, keys.length, ...keys, ...args)) === 1;
    },
    /** All entries, page by page, in the order of time. */
    events: async function* (): AsyncGenerator<LoggedEvent[]> {
      for await (const page of pages(redis, eventsKey))
        yield page.map(({ member }) => eventText.parse(member));
    },
    rotations: async function* (): AsyncGenerator<Rotation[]> {
      for await (const page of pages(redis, rotationsKey)) {
        yield page.map(({ member, score }) => ({ grantId: member, at: score }));
      }
    },
    /**
     * Restarts the log for a restored database after the replay. Replayed revocations are in its audit log, from which they
     * are copied into the log again.
     * @param finished value that the finished database has and no backup has
     */
    restart: async (last: AuditPosition | undefined, finished: string): Promise<void> => {
      const { id, at } = last ?? { id: 0, at: 0 };
      const begun = { after: 0, rotatedUntil: 0, last: id, lastEvent: `${id} ${at}`, finished };
      await redis.multi().del(eventsKey, rotationsKey, positionKey).hset(positionKey, begun).exec();
    },
  };
}

function timeOfEvent(lastEvent: string | null, last: number | null): number | undefined {
  const [id, at] = (lastEvent ?? '').split(' ').map(Number);
  return id === last ? at : undefined;
}

async function* pages(redis: RedisClient, key: string) {
  for (let start = 0; ; start += readSize) {
    const reply = await redis.zrange(key, `${start}`, `${start + readSize - 1}`, 'WITHSCORES');
    const page = Array.from({ length: reply.length / 2 }, (_, index) => ({
      member: reply[index * 2] ?? '',
      score: Number(reply[index * 2 + 1]),
    }));
    if (page.length > 0) yield page;
    if (page.length < readSize) return;
  }
}
