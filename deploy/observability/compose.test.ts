import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';

/* The profile `observability` of docker-compose.yml. */

const root = new URL('../../', import.meta.url);
const read = (path: string): unknown => parse(readFileSync(new URL(path, root), 'utf8'), { merge: true });

const container = z.looseObject({
  profiles: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.unknown()).default({}),
});
const { services } = z
  .looseObject({ services: z.record(z.string(), container) })
  .parse(read('docker-compose.yml'));
const scraped = z
  .looseObject({
    scrape_configs: z.array(
      z.union([
        z.strictObject({
          job_name: z.string(),
          dns_sd_configs: z.tuple([z.looseObject({ names: z.array(z.string()), port: z.number() })]),
        }),
        z.strictObject({ job_name: z.string(), static_configs: z.array(z.unknown()) }),
      ]),
    ),
  })
  .parse(read('deploy/observability/prometheus.yml')).scrape_configs;

const ours = Object.entries(services).filter(([, { environment }]) => environment.OPS_PORT !== undefined);
const added = Object.entries(services).filter(([, { profiles }]) => profiles.includes('observability'));

test('Prometheus scrapes the ops port of each service, by its name', () => {
  const targets = scraped.flatMap((scrape) => {
    if (!('dns_sd_configs' in scrape)) return [];
    const [{ names, port }] = scrape.dns_sd_configs;
    return [{ job: scrape.job_name, names, port }];
  });
  expect(targets.toSorted((a, b) => a.job.localeCompare(b.job))).toEqual(
    ours
      .map(([name, { environment }]) => ({ job: name, names: [name], port: environment.OPS_PORT }))
      .toSorted((a, b) => a.job.localeCompare(b.job)),
  );
});

test.each(ours)(
  'Prometheus shares exactly one network with %s, so that no replica counts twice',
  (_, { networks }) => {
    expect(services.prometheus?.networks.filter((name) => networks.includes(name))).toHaveLength(1);
  },
);

test.each(added)(
  '%s runs without privileges, writes only to volumes, and publishes its port only on this machine',
  (_, service) => {
    expect(service).toMatchObject({
      image: expect.stringMatching(/:v?\d+\.\d+\.\d+$/),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.any(String),
      pids_limit: expect.any(Number),
    });
    expect(service.ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  },
);

test('otlp-headers.yml gives its file to every service that is traced', () => {
  const headers = z
    .strictObject({
      'x-service': z.unknown(),
      services: z.record(z.string(), z.unknown()),
      secrets: z.unknown(),
    })
    .parse(read('deploy/observability/otlp-headers.yml'));
  const traced = ours.flatMap(([name, { environment }]) => ('OTLP_ENDPOINT' in environment ? [name] : []));
  expect(Object.keys(headers.services).sort()).toEqual(traced.filter((name) => name !== 'canary').sort());
  for (const service of Object.values(headers.services)) {
    expect(service).toEqual({
      environment: { OTLP_HEADERS_FILE: '/run/secrets/OTLP_HEADERS' },
      secrets: ['OTLP_HEADERS'],
    });
  }
  expect(headers.secrets).toEqual({
    OTLP_HEADERS: { file: expect.stringMatching(/^\$\{SECRETS_DIR.*\}\/OTLP_HEADERS$/) },
  });
});

test('every file that Prometheus and Grafana get exists', () => {
  const paths = added.flatMap(([, { volumes }]) =>
    volumes.flatMap((volume) => (volume.startsWith('./') ? [volume.split(':')[0] ?? ''] : [])),
  );
  expect(added.map(([name]) => name)).toEqual(['prometheus', 'node-exporter', 'grafana']);
  expect(paths).toHaveLength(4);
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
