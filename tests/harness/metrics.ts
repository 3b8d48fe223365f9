import { request } from './http-request.ts';
import type { TestService } from './service.ts';

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** Metrics of a service, in the format of Prometheus. */
export async function metricsOf(service: TestService | undefined): Promise<string> {
  return (await request(service?.ports.ops ?? 0, 'GET', '/metrics')).text;
}

/** Authorize calls that an identity-service has handled. */
export async function authorizationsOf(identity: TestService | undefined): Promise<number> {
  const counts = (await metricsOf(identity)).matchAll(
    /^identity_authorize_duration_seconds_count\S* (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Value of a metric now, summed over the label sets that have these labels; undefined when there is none. */
export async function metricOf(
  service: TestService | undefined,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  return metricIn(await metricsOf(service), name, labels);
}

/** Value of a metric in a result of `metricsOf`. */
export function metricIn(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && wanted.every((label) => line.includes(label)))
    .map((line) => Number(line.slice(line.lastIndexOf(' '))));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

/** Metrics of a page, with their types and the labels of their samples, without `service` and `le`. */
export function metricsIn(text: string): readonly Metric[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => {
    const samples = text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} `, 'gm'));
    const labels = [...samples].flatMap(([, pairs = '']) =>
      [...pairs.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
    return {
      name,
      type,
      labels: [...new Set(labels)].filter((label) => !['service', 'le'].includes(label)).sort(),
    };
  });
}
