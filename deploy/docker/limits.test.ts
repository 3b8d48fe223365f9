import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';

/* What a container of docker-compose.yml may use. */

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const limits = z.looseObject({
  mem_limit: z.string(),
  pids_limit: z.number(),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  logging: z.looseObject({ driver: z.string() }),
});
const { services } = z
  .looseObject({ services: z.record(z.string(), z.looseObject({})) })
  .parse(parse(read('docker-compose.yml'), { merge: true }));

/** Rows `| container | limit | …` of the section about memory, by container. */
const documented = new Map(
  [...read('docs/operations/install.md').matchAll(/^\| ([a-z, -]+) \| (\d+ [MG]B)/gm)].flatMap(
    ([, names = '', limit]) => names.split(', ').map((name) => [name, limit] as const),
  ),
);

test.each(Object.keys(services))('%s has limits, and no privilege that it does not need', (name) => {
  expect(() => limits.parse(services[name])).not.toThrow();
});

test('docs/operations/install.md has the memory of each container', () => {
  const named = (limit: string) =>
    limit
      .replace(/^\$\{\w+:-(.*)\}$/, '$1')
      .replace(/(\d+)([mg])$/, (_, count, unit) => `${count} ${unit.toUpperCase()}B`);
  const given = Object.entries(services).map(([name, service]) => [
    name,
    named(limits.parse(service).mem_limit),
  ]);
  expect(given).toEqual(given.map(([name = '']) => [name, documented.get(name)]));
});
