import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startChild, untilReady } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { findRedisServer, type RedisServer, startRedisServer } from '../../deploy/local/redis.ts';
import { expectEventually } from './expect-eventually.ts';
import { runDirectory } from './run-directory.ts';

/** Several Redis servers that replace one another. */
export interface RedisGroup {
  /** As services get it. */
  readonly url: string;
  /** The master that a business's keys are on, and its replica, as they are now. */
  pairOf(businessId: number): Promise<{ readonly master: RedisServer; readonly replica: RedisServer }>;
  /** Waits until a server is a master, and everything can be written. */
  promoted(server: RedisServer): Promise<void>;
  close(): Promise<void>;
}

const password = randomBytes(16).toString('hex');
/** Milliseconds after which a silent master is replaced. */
const silenceMs = 1_000;

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

/** One command to one server. */
async function command(server: RedisServer, name: string, ...args: (string | number)[]): Promise<string> {
  const redis = new Redis(server.url, {
    lazyConnect: true,
    retryStrategy: () => null,
    commandTimeout: 2_000,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return String(await redis.call(name, ...args.map(String)));
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
    `sentinel down-after-milliseconds main ${silenceMs}`,
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
    pairOf: async () => ({ master, replica }),
    promoted: (server) => expectEventually(() => isMaster(server), { withinMs: 20_000 }),
    close: () => stopAll([...servers, asked]),
  };
}

/** Three masters with a replica each, as a Redis Cluster. */
export async function startRedisCluster(): Promise<RedisGroup> {
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
  return {
    url: `redis+cluster://:${password}@${masters.map(({ port }) => `127.0.0.1:${port}`).join()}`,
    pairOf: async (businessId) => {
      const slot = Number(await command(first, 'CLUSTER', 'KEYSLOT', `gen:{${businessId}}`));
      const index = Math.floor((slot * 3) / 16_384);
      const [master, replica] = [servers[index], servers[index + 3]];
      if (master === undefined || replica === undefined) throw new Error(`There is no master for ${slot}.`);
      return { master, replica };
    },
    promoted: (server) =>
      expectEventually(() => Promise.all([isMaster(server), isWhole(server)]).then(() => undefined), {
        withinMs: 20_000,
      }),
    close: () => stopAll(servers),
  };
}
