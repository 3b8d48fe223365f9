import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const sources = [
  'gateway/src/config.ts',
  'identity-service/src/config.ts',
  'business-service/src/config.ts',
  'webhook-service/src/config.ts',
  'canary/src/config.ts',
  'service-kit/src/config/config.ts',
  'service-kit/src/grpc/tls.ts',
  'service-kit/src/telemetry/tracer.ts',
  'deploy/local/settings.ts',
];

/** Names that a schema reads: `NAME: schema`, in capitals, as an object's key. */
const variablesOf = (source: string) =>
  [...source.matchAll(/^ +([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name);
const documented = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);

test.each(sources)('.env.example names every variable that %s reads', (path) => {
  const variables = variablesOf(read(path));
  expect(variables.length).toBeGreaterThan(0);
  expect(variables.filter((name) => !documented.includes(name))).toEqual([]);
});

test('.env.example and docker-compose.yml hold no secret', () => {
  const secretNames =
    /^ *(\w*(?:PASSWORD|PEPPERS|PRIVATE_KEY|SECRETS?|ENCRYPTION_KEYS|TAG_KEYS|OTLP_HEADERS))(?:=|: )(.*)$/gm;
  const values = ['.env.example', 'docker-compose.yml'].flatMap((path) => [
    ...read(path).matchAll(secretNames),
  ]);
  expect(values.length).toBeGreaterThan(4);
  const named = /^(?:|\{ file: "\$\{SECRETS_DIR:\?[^}]*\}\/\w+" \})$/;
  const given = values.filter(([, , value = '']) => !named.test(value));
  expect(given.map(([line]) => line)).toEqual([]);
});
