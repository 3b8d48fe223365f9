import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { commonFields, readConfig } from '@platform/service-kit/config/config.ts';
import { parse } from 'yaml';
import { z } from 'zod';
import { workerCount, workerVariables } from './workers.ts';

const gigabyte = 1024 ** 3;

test.each([
  ['auto', 8, 0, 8],
  ['auto', 8, gigabyte, 4],
  ['auto', 2, gigabyte, 2],
  ['auto', 8, gigabyte / 8, 1],
  // Larger than the machine: no limit, as cgroups say it.
  ['auto', 8, 2 ** 63, 8],
  [12, 8, gigabyte, 12],
] as const)('WORKERS=%s on %i processors with %i bytes are %i', (WORKERS, processors, memory, workers) => {
  expect(workerCount({ WORKERS }, { processors, memory })).toBe(workers);
});

test('a worker gets its own values when the gateway reads them from files', () => {
  const fields = z.object({
    ...commonFields,
    MAX_CONNECTIONS: z.string(),
    MAX_CONNECTIONS_PER_CLIENT: z.string(),
  });
  const inherited = Object.fromEntries(Object.keys(fields.shape).map((name) => [`${name}_FILE`, '/nowhere']));
  const own = workerVariables(2, { MAX_CONNECTIONS: 9, MAX_CONNECTIONS_PER_CLIENT: 3 }, 2);
  const rest = { MODE_FILE: '', LOG_LEVEL_FILE: '' };
  expect(readConfig(fields, { ...inherited, ...rest, ...own })).toMatchObject({
    OPS_HOST: '127.0.0.1',
    OPS_PORT: 0,
    DRAIN_DELAY_MS: 0,
    MAX_CONNECTIONS: '5',
    MAX_CONNECTIONS_PER_CLIENT: '2',
  });
});

test('a container of docker-compose.yml has threads for the most workers there may be', () => {
  const compose = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const { gateway } = parse(compose, { merge: true }).services;
  // Eleven of each Node process, and one process more, which starts the others.
  expect(gateway.pids_limit).toBeGreaterThanOrEqual((64 + 1) * 11);
});
