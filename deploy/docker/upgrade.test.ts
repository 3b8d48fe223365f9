import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';

/* upgrade.sh and docker-compose.yml agree. That no request fails is seen by smoke.sh, on an engine. */

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const service = z.looseObject({
  image: z.string(),
  scale: z.number().default(1),
  restart: z.string(),
  profiles: z.array(z.string()).default([]),
  build: z.looseObject({ context: z.string(), args: z.looseObject({}).optional() }).optional(),
});
const { services } = z
  .looseObject({ services: z.record(z.string(), service) })
  .parse(parse(read('docker-compose.yml'), { merge: true }));
const ours = Object.entries(services).filter(([, { build }]) => build?.args !== undefined);
const replaced = ours.filter(([, { restart, profiles }]) => restart !== 'no' && profiles.length === 0);
const script = read('deploy/docker/upgrade.sh');

test('every service is replaced, and each service before its callers', () => {
  const [, list = ''] = /^readonly services="(.*)"$/m.exec(script) ?? [];
  expect(list.split(' ').sort()).toEqual(replaced.map(([name]) => name).sort());
  expect(list).toMatch(/^business-service identity-service .*gateway$/);
});

test('as many replicas run after an upgrade as docker-compose.yml starts', () => {
  const [, single = '', several] = /case \$1 in (\S+)\) echo 1 ;; \*\) echo (\d)/.exec(script) ?? [];
  const counts = replaced.map(([name, { scale }]) => [name, scale]);
  expect(counts).toEqual(replaced.map(([name]) => [name, name === single ? 1 : Number(several)]));
});

test('the image of each service is tagged with the version, and the image of the front is not', () => {
  for (const [name, { image }] of ours) {
    const built = name.replace(/-migration$/, '-service');
    expect(image).toBe(`\${IMAGES:-platform}/${built}:\${VERSION:-latest}`);
  }
  expect(services.front?.image).toBe(`\${IMAGES:-platform}/front`);
});
