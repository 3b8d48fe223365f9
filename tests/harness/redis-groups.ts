import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { startChild, untilReady } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { findRedisServer, type RedisServer, startRedisServer } from '../../deploy/local/redis.ts';
import { expectEventually } from './expect-eventually.ts';
import { type Platform, startPlatform } from './platform.ts';
import { runDirectory } from './run-directory.ts';

/** Several Redis servers that replace one another. */
export interface RedisGroup {
  /** URL for services. */
  readonly url: string;
  /** The master that a business's keys are on, and its replica, as they are now. */
  pairOf(businessId: number): Promise<{ readonly master: RedisServer; readonly replica: RedisServer }>;
  /** Waits until a server is a master, and everything can be written. */
  promoted(server: RedisServer): Promise<void>;
  close(): Promise<void>;
}

/** A Redis Cluster, whose slots can move. */
export interface RedisCluster extends RedisGroup {
  /** Announces that the slot of a business moves to another master, without moving its keys yet. */
  beginMove(businessId: number): Promise<SlotMove>;
}

/** A slot on its way from one master to another, with the commands of `redis-cli --cluster reshard`. */
export interface SlotMove {
  /** Moves only this key, if it exists. */
  moveKey(key: string): Promise<void>;
  /** Moves every key that is left. */
  moveKeys(): Promise<void>;
  /** Assigns the slot to the other master on all servers. */
  finish(): Promise<void>;
}

/** Two gateways and two identity-services that use the group. */
export function startPlatformOver({ url }: RedisGroup): Promise<Platform> {
  const env = { REDIS_URL: url };
  return startPlatform({ redis: false, gateways: 2, identities: 2, gatewayEnv: env, identityEnv: env });
}

const password = randomBytes(16).toString('hex');
/** Milliseconds after which a silent master is replaced, where a test waits for that. */
const quickFailoverMs = 1_000;

function program(): string {
  const found = findRedisServer(process.env);
  if (found === undefined) throw new Error('redis-server is gone.');
  return found;
}

async function startServer(settings: readonly string[]): Promise<RedisServer> {
  const { newDirectory, newLogFile, records } = runDirectory();
  return startRedisServer({
    program: program(),
    port: await freePort(),
    password,
    directory: newDirectory('redis'),
    logFile: newLogFile('redis'),
    records,
    settings: [`masterauth ${password}`, ...settings],
  });
}

/** From now on the replica gets nothing from its master: later writes are lost in a failover. */
export async function cutOff(master: RedisServer, replica: RedisServer): Promise<void> {
  await command(replica, 'CONFIG', 'SET', 'masterauth', 'wrong');
  await command(master, 'CLIENT', 'KILL', 'TYPE', 'replica');
  await expectEventually(
    async () => {
      if (!(await info(master)).includes('connected_slaves:0')) throw new Error('the replica still hears it');
    },
    { withinMs: 10_000 },
  );
}

/** One command to one server; its reply as text. */
async function command(server: RedisServer, name: string, ...args: (string | number)[]): Promise<string> {
  return String(await call(server, name, ...args));
}

async function call(server: RedisServer, name: string, ...args: (string | number)[]): Promise<unknown> {
  const redis = new Redis(server.url, {
    lazyConnect: true,
    retryStrategy: () => null,
    commandTimeout: 2_000,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await redis.call(name, ...args.map(String));
  } finally {
    redis.disconnect();
  }
}

const info = (server: RedisServer) => command(server, 'INFO', 'replication');
const isSynced = async (replica: RedisServer) => {
  if (!(await info(replica)).includes('master_link_status:up'))
    throw new Error('the replica is not there yet');
};
const isMaster = async (server: RedisServer) => {
  if (!(await info(server)).startsWith('# Replication\r\nrole:master')) throw new Error('no master yet');
};

/** On a busy machine the master may have been silent for so long that its replica has taken over. */
async function pairIn(first: RedisServer, second: RedisServer) {
  const isAsBegun = await isMaster(first).then(
    () => true,
    () => false,
  );
  return isAsBegun ? { master: first, replica: second } : { master: second, replica: first };
}

async function stopAll(servers: readonly RedisServer[]): Promise<void> {
  const stop = ({ process: child }: RedisServer) => child.stop('SIGKILL', 1_000);
  await Promise.all(servers.filter(({ process: child }) => child.isRunning()).map(stop));
}

/** A master, its replica, and a Sentinel that replaces the one by the other. */
export async function startRedisSentinel(): Promise<RedisGroup> {
  const master = await startServer([]);
  const replica = await startServer([`replicaof 127.0.0.1 ${master.port}`]);
  await expectEventually(() => isSynced(replica), { withinMs: 10_000 });
  const { newDirectory, newLogFile, records } = runDirectory();
  const directory = newDirectory('sentinel');
  const port = await freePort();
  const file = join(directory, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir "${directory}"`,
    `sentinel monitor main 127.0.0.1 ${master.port} 1`,
    `sentinel auth-pass main ${password}`,
    `sentinel down-after-milliseconds main ${quickFailoverMs}`,
    'sentinel failover-timeout main 2000',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const sentinel = await startChild({
    name: 'redis-sentinel',
    command: program(),
    args: [file, '--sentinel'],
    env: { PATH: process.env.PATH ?? '' },
    logFile: newLogFile('sentinel'),
    records,
  });
  const asked: RedisServer = { process: sentinel, port, url: `redis://127.0.0.1:${port}` };
  const knowsReplica = async () => {
    const known = await command(asked, 'SENTINEL', 'replicas', 'main');
    if (!known.includes(String(replica.port))) throw new Error('the Sentinel does not know the replica');
  };
  await untilReady(sentinel, knowsReplica, 60_000);
  const servers = [master, replica];
  return {
    url: `redis+sentinel://:${password}@127.0.0.1:${port}/main`,
    pairOf: () => pairIn(master, replica),
    promoted: (server) => expectEventually(() => isMaster(server), { withinMs: 20_000 }),
    close: () => stopAll([...servers, asked]),
  };
}

/**
 * Three masters with a replica each, as a Redis Cluster.
 * @param silenceMs milliseconds after which a silent master is replaced
 */
export async function startRedisCluster(silenceMs = quickFailoverMs): Promise<RedisCluster> {
  const servers = await Promise.all(
    Array.from({ length: 6 }, async () =>
      startServer([
        'cluster-enabled yes',
        `cluster-port ${await freePort()}`,
        `cluster-node-timeout ${silenceMs}`,
        'cluster-replica-validity-factor 0',
      ]),
    ),
  );
  const masters = servers.slice(0, 3);
  const ids = await Promise.all(servers.map((server) => command(server, 'CLUSTER', 'MYID')));
  const [first] = servers;
  if (first === undefined) throw new Error('There are six.');
  for (const [index, server] of masters.entries()) {
    const [from, to] = [Math.ceil((index * 16_384) / 3), Math.ceil(((index + 1) * 16_384) / 3) - 1];
    await command(server, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    await command(server, 'CLUSTER', 'ADDSLOTSRANGE', from, to);
  }
  for (const server of servers.slice(1)) {
    const busPort = (await command(server, 'CONFIG', 'GET', 'cluster-port')).split(',')[1] ?? '';
    await command(first, 'CLUSTER', 'MEET', '127.0.0.1', server.port, busPort);
  }
  for (const [index, server] of servers.slice(3).entries()) {
    const replicate = () => command(server, 'CLUSTER', 'REPLICATE', ids[index] ?? '');
    await expectEventually(replicate, { withinMs: 10_000, everyMs: 100 });
  }
  const isWhole = async (server: RedisServer) => {
    const state = await command(server, 'CLUSTER', 'INFO');
    if (!state.includes('cluster_state:ok')) throw new Error('the Cluster is not whole');
  };
  await expectEventually(() => Promise.all([...servers.map(isWhole), ...servers.slice(3).map(isSynced)]), {
    withinMs: 20_000,
    everyMs: 100,
  });
  const slotOf = async (businessId: number) =>
    Number(await command(first, 'CLUSTER', 'KEYSLOT', `gen:{${businessId}}`));
  return {
    url: `redis+cluster://:${password}@${masters.map(({ port }) => `127.0.0.1:${port}`).join()}`,
    pairOf: async (businessId) => {
      const slot = await slotOf(businessId);
      const index = Math.floor((slot * 3) / 16_384);
      const [master, replica] = [servers[index], servers[index + 3]];
      if (master === undefined || replica === undefined) throw new Error(`There is no master for ${slot}.`);
      return pairIn(master, replica);
    },
    beginMove: async (businessId) => beginMove(masters, await slotOf(businessId)),
    promoted: (server) =>
      expectEventually(() => Promise.all([isMaster(server), isWhole(server)]).then(() => undefined), {
        withinMs: 20_000,
      }),
    close: () => stopAll(servers),
  };
}

/** The masters with slots of their own; the slot goes from its owner to the next of them. */
async function beginMove(masters: readonly RedisServer[], slot: number): Promise<SlotMove> {
  const owned = await Promise.all(masters.map((server) => command(server, 'CLUSTER', 'NODES')));
  const from = owned.findIndex((nodes) => ownsSlot(nodes, slot));
  const [source, target] = [masters[from], masters[(from + 1) % masters.length]];
  if (source === undefined || target === undefined) throw new Error(`There is no master for ${slot}.`);
  const [sourceId, targetId] = await Promise.all(
    [source, target].map((server) => command(server, 'CLUSTER', 'MYID')),
  );
  await command(target, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId ?? '');
  await command(source, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId ?? '');
  const migrate = (keys: readonly string[]) =>
    command(source, 'MIGRATE', '127.0.0.1', target.port, '', 0, 5_000, 'AUTH', password, 'KEYS', ...keys);
  return {
    moveKey: async (key) => void (await migrate([key])),
    moveKeys: async () => {
      for (;;) {
        const keys = z.array(z.string()).parse(await call(source, 'CLUSTER', 'GETKEYSINSLOT', slot, 10));
        if (keys.length === 0) return;
        await migrate(keys);
      }
    },
    finish: async () => {
      const others = masters.filter((server) => server !== source && server !== target);
      for (const server of [target, source, ...others])
        await command(server, 'CLUSTER', 'SETSLOT', slot, 'NODE', targetId ?? '');
    },
  };
}

/** Whether the server that printed CLUSTER NODES has the slot: its own line, with ranges from the ninth field on. */
function ownsSlot(nodes: string, slot: number): boolean {
  const own = nodes.split('\n').find((line) => line.includes('myself'));
  const ranges = (own ?? '')
    .split(' ')
    .slice(8)
    .map((range) => range.split('-').map(Number));
  return ranges.some(([first = -1, last = first]) => first <= slot && slot <= last);
}
