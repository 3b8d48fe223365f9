import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, untilReady } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { requirePrometheus } from '../../deploy/observability/promtool.ts';
import { request } from './http-request.ts';
import type { PlatformProcesses } from './platform.ts';
import { runDirectory } from './run-directory.ts';
import type { TestService } from './service.ts';

interface Alarm {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
}

interface Rule {
  readonly name: string;
  readonly health: 'ok' | 'err' | 'unknown';
  readonly lastError?: string;
}

interface SeriesExemplars {
  readonly seriesLabels: Readonly<Record<string, string>>;
  readonly exemplars: readonly { readonly labels: object; readonly value: string }[];
}

/** A series with its labels and its values, each with its time in seconds since 1970. */
export interface RangeSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

/** A Prometheus that watches a platform with the project's rules. */
export interface TestPrometheus {
  alarms(): Promise<readonly Alarm[]>;
  rules(): Promise<readonly Rule[]>;
  /** Labels and value of each result of an expression. */
  query(
    expression: string,
  ): Promise<readonly { readonly metric: object; readonly value: readonly [number, string] }[]>;
  /** Results of an expression every `step` seconds. @param range seconds since 1970 */
  queryRange(
    expression: string,
    range: { readonly start: number; readonly end: number; readonly step: number },
  ): Promise<readonly RangeSeries[]>;
  /** Exemplars of the series that an expression reads, by series. */
  exemplars(expression: string): Promise<readonly SeriesExemplars[]>;
  close(): Promise<unknown>;
}

const rulesFile = new URL('../../deploy/observability/rules.yml', import.meta.url);

/** Starts it. It scrapes and evaluates every second, and an alarm fires after a second instead of minutes. */
export async function startPrometheus(platform: PlatformProcesses): Promise<TestPrometheus> {
  const command = requirePrometheus('prometheus', process.env);
  const { newDirectory, newLogFile, records } = runDirectory();
  const directory = newDirectory('prometheus');
  const rules = readFileSync(rulesFile, 'utf8').replaceAll(/^( +for:) \w+$/gm, '$1 1s');
  writeFileSync(join(directory, 'rules.yml'), rules);
  writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(configOf(platform)));
  const port = await freePort();
  const child = await startChild({
    name: 'prometheus',
    command,
    args: [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
    ],
    env: {},
    logFile: newLogFile('prometheus'),
    records,
  });
  const isReady = async () => {
    const { status, text } = await request(port, 'GET', '/-/ready');
    if (status !== 200) throw new Error(text);
  };
  await untilReady(child, isReady, 30_000);
  const get = async <T>(path: string): Promise<T> => {
    const { text } = await request(port, 'GET', `/api/v1/${path}`);
    const { status, data }: { status: string; data: T } = JSON.parse(text);
    if (status !== 'success') throw new Error(text);
    return data;
  };
  return {
    alarms: async () => (await get<{ alerts: Alarm[] }>('alerts')).alerts,
    rules: async () =>
      (await get<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap((group) => group.rules),
    query: async (expression) =>
      (
        await get<{ result: Awaited<ReturnType<TestPrometheus['query']>> }>(
          `query?query=${encodeURIComponent(expression)}`,
        )
      ).result,
    queryRange: async (expression, { start, end, step }) => {
      const fields = { query: expression, start: `${start}`, end: `${end}`, step: `${step}` };
      return (await get<{ result: RangeSeries[] }>(`query_range?${new URLSearchParams(fields)}`)).result;
    },
    exemplars: (expression) => get(`query_exemplars?query=${encodeURIComponent(expression)}`),
    close: () => child.stop('SIGTERM', 10_000),
  };
}

/** JSON is YAML. Replicas are numbered: ports differ from run to run. */
function configOf({ gateways, identities, businesses, webhooks }: PlatformProcesses) {
  const job = (name: string, services: readonly TestService[]) => ({
    job_name: name,
    static_configs: services.map(({ ports }, index) => ({
      targets: [`127.0.0.1:${ports.ops}`],
      labels: { instance: `replica-${index + 1}` },
    })),
  });
  return {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [
      job('gateway', gateways),
      job('identity-service', identities),
      job('business-service', businesses),
      job('webhook-service', webhooks),
    ],
  };
}
