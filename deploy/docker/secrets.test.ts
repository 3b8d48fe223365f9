import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const { services } = z
  .looseObject({
    services: z.record(z.string(), z.looseObject({ secrets: z.array(z.string()).default([]) })),
  })
  .parse(parse(read('docker-compose.yml'), { merge: true }));

test('the operator guide lists every secret that is read only when a volume is created', () => {
  const { postgres, grafana, ...others } = services;
  const readAtStart = Object.values(others).flatMap(({ secrets }) => secrets);
  const once = [...(postgres?.secrets ?? []), ...(grafana?.secrets ?? [])];
  expect(once).toHaveLength(7);
  expect(once.filter((name) => readAtStart.includes(name))).toEqual([]);
  const [, exceptions = ''] =
    /^\*\*Passwords that(.*?)^\*\*/ms.exec(read('docs/operations/install.md')) ?? [];
  expect(once.filter((name) => !exceptions.includes(`\`${name}\``))).toEqual([]);
});
