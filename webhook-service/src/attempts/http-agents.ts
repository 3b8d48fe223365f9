import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';

/** Options of a request, with the endpoint's URL. Connections are never shared between endpoints, even of one host. */
export interface ReceiverRequestOptions extends https.RequestOptions {
  readonly endpointUrl: string;
}

/** Agents for both schemes: `kept` reuse connections, `fresh` open one per request. */
export interface ReceiverAgents {
  readonly kept: SchemeAgents;
  readonly fresh: SchemeAgents;
  /** Closes idle connections. */
  close(): void;
}

interface SchemeAgents {
  readonly 'http:': http.Agent;
  readonly 'https:': https.Agent;
}

/** Milliseconds that a connection stays idle: less than typical servers allow, such as 5 s in Node. */
const idleMs = 4_000;

/** Milliseconds after which a connection is not reused, so that a receiver can change its address in DNS. */
const maxAgeMs = 60_000;

/** Idle connections of a scheme in all. */
const maxIdle = 256;

/** Milliseconds after which the next of several addresses is tried as well. */
const nextAddressMs = 2_000;

const connectOptions = {
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: nextAddressMs,
  // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
  rejectUnauthorized: true,
  minVersion: 'TLSv1.2',
  // No sessions are resumed: that skips the check of the name, and Node drops a session with a failed check too late.
  maxCachedSessions: 0,
  // Without proxyEnv, environment variables do not select a proxy.
} as const;

/**
 * Agents that connect to the addresses of `lookup` only.
 * @param now milliseconds of a clock that does not jump
 */
export function createReceiverAgents(lookup: LookupFunction, now = () => performance.now()): ReceiverAgents {
  const openedAt = new WeakMap<Duplex, number>();
  const options = { ...connectOptions, lookup };
  const kept = { ...options, keepAlive: true, timeout: idleMs };
  const agents = {
    kept: { 'http:': new http.Agent(kept), 'https:': new https.Agent(kept) },
    fresh: { 'http:': new http.Agent(options), 'https:': new https.Agent(options) },
  };
  for (const agent of [agents.kept['http:'], agents.kept['https:']]) {
    nameByEndpoint(agent);
    limitReuse(agent, (socket) => {
      const since = openedAt.get(socket) ?? now();
      openedAt.set(socket, since);
      return now() - since < maxAgeMs && idleCount(agent) < maxIdle;
    });
  }
  return {
    ...agents,
    close: () => {
      for (const { 'http:': plain, 'https:': secure } of [agents.kept, agents.fresh]) {
        plain.destroy();
        secure.destroy();
      }
    },
  };
}

/** Keeps connections apart by endpoint. */
function nameByEndpoint(agent: http.Agent): void {
  const getName = agent.getName.bind(agent);
  agent.getName = (options: http.ClientRequestArgs & { endpointUrl?: string } = {}) =>
    `${getName(options)}:${options.endpointUrl ?? ''}`;
}

function idleCount({ freeSockets }: http.Agent): number {
  return Object.values(freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
}

/** Lets a connection go idle only while `mayStay`. Node's documentation names this method as the place to decide it. */
function limitReuse(agent: http.Agent, mayStay: (socket: Duplex) => boolean): void {
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  // The method returns whether to keep the socket, although its type says void.
  const decide: (socket: Duplex) => unknown = (socket) => mayStay(socket) && keep(socket);
  agent.keepSocketAlive = decide;
}
