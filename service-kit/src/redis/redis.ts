import { Cluster, Redis } from 'ioredis';
import { z } from 'zod';

/** Address of Redis: one server, nodes of a Cluster, or Sentinels and the name of their master. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string }
  | (Endpoints & { readonly kind: 'cluster' })
  | (Endpoints & { readonly kind: 'sentinel'; readonly master: string });

interface Endpoint {
  readonly host: string;
  readonly port: number;
}

interface Endpoints {
  readonly endpoints: readonly Endpoint[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
}

const serverShape = z.url({ protocol: /^rediss?$/ });

const shape =
  /^redis(?<tls>s?)\+(?<kind>cluster|sentinel):\/\/(?:(?<auth>.*)@)?(?<hosts>[^/@]+)(?:\/(?<name>[^/]*))?$/;

const endpointShape = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<host>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/i;

const defaultPorts = { cluster: 6_379, sentinel: 26_379 };

const expected =
  'must be redis://…, redis+cluster://host:port,host:port or redis+sentinel://host:port,host:port/master-name, or the same with rediss';

/** REDIS_URL. Error texts hold no part of it, since it may hold a password. */
export const redisAddress = z.string().transform((text, context): RedisAddress => {
  const address = serverShape.safeParse(text).success ? { kind: 'server' as const, url: text } : parse(text);
  if (typeof address !== 'string') return address;
  context.addIssue({ code: 'custom', message: address });
  return z.NEVER;
});

/** The address, or an error text. */
function parse(text: string): RedisAddress | string {
  const parts = shape.exec(text)?.groups;
  if (parts === undefined) return expected;
  const kind = parts.kind === 'cluster' ? 'cluster' : 'sentinel';
  const endpoints = (parts.hosts ?? '').split(',').map((host) => parseEndpoint(host, defaultPorts[kind]));
  const known = endpoints.filter((endpoint) => endpoint !== undefined);
  if (known.length !== endpoints.length) return 'names a host that is not host:port';
  const auth = parseAuth(parts.auth);
  if (auth === undefined) return 'has a user or password that is not percent-encoded';
  const shared = { endpoints: known, tls: parts.tls === 's', ...auth };
  if (kind === 'sentinel') {
    return parts.name ? { kind, master: parts.name, ...shared } : 'does not name the master: …/master-name';
  }
  return parts.name ? 'names a database: a Cluster has only one' : { kind, ...shared };
}

function parseEndpoint(text: string, defaultPort: number): Endpoint | undefined {
  const parts = endpointShape.exec(text)?.groups;
  const port = Number(parts?.port ?? defaultPort);
  const host = parts?.v6 ?? parts?.host;
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

function parseAuth(auth: string | undefined): Pick<Endpoints, 'username' | 'password'> | undefined {
  if (auth === undefined) return { username: undefined, password: undefined };
  const colon = auth.indexOf(':');
  if (colon === -1 || /[@/]/.test(auth)) return undefined;
  try {
    const [username, password] = [auth.slice(0, colon), auth.slice(colon + 1)].map(decodeURIComponent);
    return { username: username || undefined, password: password || undefined };
  } catch {
    return undefined;
  }
}

/** A connection to one server or to a Cluster. */
export type RedisClient = Redis | Cluster;

interface RedisClientOptions {
  /** Milliseconds after which a command fails; absent for commands with time-outs of their own. */
  readonly commandTimeoutMs?: number;
  /**
   * Whether commands follow MOVED and ASK. Otherwise a redirect is an error, because what is known about the data of one
   * server may be wrong for another.
   */
  readonly followsRedirects: boolean;
  readonly autoPipelining: boolean;
}

const connectTimeoutMs = 1_000;

/** Limit for silence, because a peer that has vanished never closes its connection. */
const socketTimeoutMs = 2_000;

const maxReconnectDelayMs = 500;

const slotsRefreshMs = 1_000;

const retryDelay = (attempt: number) => Math.min(50 * attempt, maxReconnectDelayMs);

/**
 * A client that reconnects; commands fail at once without a connection. `connect()` opens the first one. With Sentinels
 * it connects to the master, and again when another one is promoted.
 */
export function createRedisClient(address: RedisAddress, options: RedisClientOptions): RedisClient {
  const { commandTimeoutMs, autoPipelining } = options;
  const connection = {
    connectTimeout: connectTimeoutMs,
    socketTimeout: socketTimeoutMs,
    ...(commandTimeoutMs !== undefined && { commandTimeout: commandTimeoutMs }),
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
  };
  if (address.kind === 'cluster') return createCluster(address, connection, options);
  const single = {
    ...connection,
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: autoPipelining,
    // Subscribe at `ready` instead: ioredis does not handle errors of its own SUBSCRIBE, which would end the process.
    autoResubscribe: false,
    retryStrategy: retryDelay,
    // A master that became a replica refuses to write: look up the new master.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  if (address.kind === 'server') return new Redis(address.url, single);
  const redis = new SentinelRedis({
    ...single,
    ...credentialsOf(address),
    ...(address.tls && { tls: {}, enableTLSForSentinelMode: true }),
    sentinels: [...address.endpoints],
    name: address.master,
    role: 'master' as const,
    sentinelRetryStrategy: retryDelay,
    sentinelCommandTimeout: connectTimeoutMs,
    failoverDetector: true,
  });
  redis.on('end', () => redis.connectAgain());
  return redis;
}

/** Reconnects when ioredis gives up, which it does if Sentinel announces a failover during the lookup of the master. */
class SentinelRedis extends Redis {
  private isClosed = false;

  override disconnect(reconnect = false): void {
    if (!reconnect) this.isClosed = true;
    super.disconnect(reconnect);
  }

  connectAgain(): void {
    setTimeout(() => {
      if (!this.isClosed && this.status === 'end') this.connect().catch(() => undefined);
    }, maxReconnectDelayMs).unref();
  }
}

function createCluster(
  address: Extract<RedisAddress, { kind: 'cluster' }>,
  connection: object,
  { followsRedirects, autoPipelining }: RedisClientOptions,
): Cluster {
  const { endpoints, tls } = address;
  return new Cluster([...endpoints], {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: autoPipelining,
    clusterRetryStrategy: retryDelay,
    maxRedirections: followsRedirects ? 8 : 0,
    slotsRefreshTimeout: connectTimeoutMs,
    slotsRefreshInterval: slotsRefreshMs,
    // Certificates name hosts: a resolved address would not match.
    ...(tls && {
      dnsLookup: (host: string, done: (error: null, address: string) => void) => done(null, host),
    }),
    redisOptions: { ...connection, ...credentialsOf(address), ...(tls && { tls: {} }) },
  });
}

function credentialsOf({ username, password }: Exclude<RedisAddress, { kind: 'server' }>) {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

interface RedisEvents {
  /** Commands may be sent. */
  readonly onReady: () => void;
  /** The next reply may come from another server, or from one that has lost its data. */
  readonly onLost: (error?: unknown) => void;
}

/** Calls back when the servers behind a client change. */
export function watchRedis(client: RedisClient, { onReady, onLost }: RedisEvents): void {
  client.on('ready', onReady);
  client.on('close', () => onLost());
  client.on('error', onLost);
  if (!(client instanceof Cluster)) return;
  let masters = '';
  client.on('-node', () => {
    onLost();
    refreshServers(client);
  });
  client.on('refresh', () => {
    const now = mastersOf(client).map(nameOf).sort().join();
    if (masters !== '' && masters !== now) onLost(new Error('other masters'));
    masters = now;
  });
}

/** As Redis itself names a server in a redirect. */
export const nameOf = ({ options }: Redis) => `${options.host}:${options.port}`;

/** The servers that commands go to. */
export function mastersOf(client: RedisClient): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

/** Refreshes the slots of a Cluster. */
export function refreshServers(client: RedisClient): void {
  if (client instanceof Cluster && client.status === 'ready') client.refreshSlotsCache();
}

/** Rejects unless every server of a Cluster has the role of a master. */
export async function probeMasters(client: RedisClient): Promise<void> {
  if (!(client instanceof Cluster)) return;
  await Promise.all(
    client.nodes('master').map(async (node) => {
      const [role] = await node.role();
      if (role !== 'master') throw new Error('a server of the Cluster is no longer a master');
    }),
  );
}
