import { Cluster, type Redis } from 'ioredis';
import { mastersOf, nameOf, type RedisClient, refreshServers } from './redis.ts';

/*
 * Slots of a Cluster that move from one master to another. A server that lacks some keys of a command says ASK (those
 * are on the other one already), MOVED (the slot is) or TRYAGAIN (some are here, some are there).
 */

const redirect = /\b(?<kind>MOVED|ASK) \d+ (?<name>\S+)$/;

/** Milliseconds after TRYAGAIN: about as long as a few keys take to move. */
const pauseMs = 4;

/** Where a command goes, and whether that server is reached by ASK. */
interface Target {
  readonly server: RedisClient;
  readonly isAsking: boolean;
}

/**
 * Sends a command, and again where its slot moves, to servers that were masters when the command was first sent. A redirect
 * to another server is an error: a replica may have taken over, which may lack writes.
 * @param send called with the client or one server; writes at once, over one connection
 * @param limitMs milliseconds after which no redirect is followed
 */
export function followSlot<T>(
  client: RedisClient,
  send: (server: RedisClient) => Promise<T>,
  limitMs: number,
): Promise<T> {
  return client instanceof Cluster ? follow(client, send, limitMs) : send(client);
}

async function follow<T>(
  client: Cluster,
  send: (server: RedisClient) => Promise<T>,
  limitMs: number,
): Promise<T> {
  const masters = new Map(mastersOf(client).map((server) => [nameOf(server), server]));
  const giveUpAt = performance.now() + limitMs;
  for (let target: Target = { server: client, isAsking: false }; ; ) {
    try {
      // ASKING holds for the next command of the connection.
      if (target.isAsking) target.server.call('ASKING').catch(() => undefined);
      return await send(target.server);
    } catch (error) {
      const next = performance.now() < giveUpAt ? await nextTarget(error, client, masters) : undefined;
      if (next === undefined) throw error;
      target = next;
    }
  }
}

/** Undefined where the error is no redirect to one of these masters. */
async function nextTarget(
  error: unknown,
  client: Cluster,
  masters: ReadonlyMap<string, Redis>,
): Promise<Target | undefined> {
  if (!(error instanceof Error)) return undefined;
  if (error.message.includes('TRYAGAIN')) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return { server: client, isAsking: false };
  }
  const { kind, name = '' } = redirect.exec(error.message)?.groups ?? {};
  const server = masters.get(name);
  if (server === undefined) return undefined;
  if (kind === 'MOVED') refreshServers(client);
  return { server, isAsking: kind === 'ASK' };
}
