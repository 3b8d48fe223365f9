import { Cluster, type Redis } from 'ioredis';
import { mastersOf, nameOf, type RedisClient, refreshServers } from './redis.ts';

/*
 * Slots of a Cluster that move from one master to another. A server that lacks keys of a command replies ASK (these keys have
 * moved), MOVED (the whole slot has moved) or TRYAGAIN (some of the keys have moved).
 */

const redirect = /\b(?<kind>MOVED|ASK) \d+ (?<name>\S+)$/;

/** Milliseconds before a retry after TRYAGAIN: about the time in which a few keys move. */
const pauseMs = 4;

/** Server for a command, and whether it was named by ASK. */
interface Target {
  readonly server: RedisClient;
  readonly isAsking: boolean;
}

/**
 * Sends a command and follows redirects while its slot moves, but only to servers that were masters when the command was
 * first sent. A redirect to any other server is an error, because a replica that took over may lack writes.
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

/** The target of a redirect; undefined for any other error, and for a redirect to another server. */
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
