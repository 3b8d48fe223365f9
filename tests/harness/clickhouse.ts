import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, untilReady } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { findProgram, installPackages } from '../../deploy/local/process/install-packages.ts';
import { runDirectory } from './run-directory.ts';

/** A ClickHouse that a test may break. Data and port stay over stop and start. */
export interface TestClickHouse {
  pid(): number;
  /** REQUEST_LOG_URL of a new database. */
  createDatabase(): Promise<string>;
  /** Rows of a query in the database of a URL. */
  query<Row>(url: string, text: string): Promise<Row[]>;
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<unknown>;
  /** SIGSTOP: connections stay open without any response. */
  freeze(): void;
  thaw(): void;
  close(): Promise<unknown>;
}

/** Starts a ClickHouse of the test's own. */
export async function startClickHouse(): Promise<TestClickHouse> {
  const program = requireClickHouse(process.env);
  const { newDirectory, newLogFile, records } = runDirectory();
  const directory = newDirectory('clickhouse');
  const [port, nativePort] = [await freePort(), await freePort()];
  const password = randomBytes(16).toString('hex');
  const config = join(directory, 'config.xml');
  writeFileSync(config, configOf({ directory, port, nativePort }));
  writeFileSync(join(directory, 'users.xml'), usersOf(password), { mode: 0o600 });
  const origin = `http://127.0.0.1:${port}`;
  const ask = async (database: string, body: string) => {
    const headers = { authorization: `Basic ${Buffer.from(`default:${password}`).toString('base64')}` };
    const response = await fetch(`${origin}/?database=${database}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  };
  const start = async () => {
    const started = await startChild({
      name: 'clickhouse-server',
      command: program,
      args: [`--config-file=${config}`],
      env: { PATH: process.env.PATH ?? '', TZ: 'UTC' },
      logFile: newLogFile('clickhouse'),
      records,
    });
    await untilReady(started, () => ask('default', 'SELECT 1'), 60_000);
    return started;
  };
  let server = await start();
  const kill = () => server.stop('SIGKILL', 1_000);
  return {
    pid: () => server.pid,
    createDatabase: async () => {
      const name = `test_${randomBytes(6).toString('hex')}`;
      await ask('default', `CREATE DATABASE ${name}`);
      return `clickhouse://default:${password}@127.0.0.1:${port}/${name}`;
    },
    query: async (url, text) => {
      const lines = await ask(new URL(url).pathname.slice(1), `${text} FORMAT JSONEachRow`);
      return lines
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
    start: async () => {
      if (!server.isRunning()) server = await start();
    },
    kill,
    freeze: () => server.send('SIGSTOP'),
    thaw: () => server.send('SIGCONT'),
    // Its data ends with the run.
    close: kill,
  };
}

/** Versions before 22 know no other name of the root. */
function configOf(at: {
  readonly directory: string;
  readonly port: number;
  readonly nativePort: number;
}): string {
  return `<yandex>
    <logger><level>warning</level><console>1</console></logger>
    <http_port>${at.port}</http_port><tcp_port>${at.nativePort}</tcp_port><listen_host>127.0.0.1</listen_host>
    <path>${at.directory}/data/</path><tmp_path>${at.directory}/tmp/</tmp_path>
    <users_config>${at.directory}/users.xml</users_config>
    <default_profile>default</default_profile><default_database>default</default_database>
    <mark_cache_size>67108864</mark_cache_size>
  </yandex>`;
}

function usersOf(password: string): string {
  return `<yandex>
    <profiles><default><max_threads>2</max_threads></default></profiles>
    <quotas><default></default></quotas>
    <users><default>
      <password>${password}</password><networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota>
    </default></users>
  </yandex>`;
}

/** Path of ClickHouse: CLICKHOUSE_SERVER, or its installation, which is made if missing. @throws with one sentence when that fails */
function requireClickHouse(environment: NodeJS.ProcessEnv): string {
  const PATH = `${environment.PATH ?? ''}:/usr/sbin`;
  const find = () => findProgram(environment.CLICKHOUSE_SERVER, ['clickhouse-server'], { PATH });
  const found = find();
  if (found !== undefined) return found;
  const error = installPackages({ 'apt-get': ['clickhouse-server'] });
  const installed = find();
  if (installed !== undefined) return installed;
  const why = error ?? 'the package brought none';
  throw new Error(
    `The tests of the log in ClickHouse need clickhouse-server, and ${why}: install it by hand, or name it in CLICKHOUSE_SERVER.`,
  );
}
