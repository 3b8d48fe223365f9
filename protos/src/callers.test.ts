import type { ServiceDefinition } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import * as business from './business.ts';
import { callers } from './callers.ts';
import * as identity from './identity.ts';
import * as webhook from './webhook.ts';

const methods = [business, identity, webhook]
  .flatMap((definitions) => Object.values(definitions))
  .flatMap((service) => Object.values(service as ServiceDefinition))
  .map(({ path }) => path.slice(1));
const services = new Set(methods.map((method) => method.split('/')[0]));

test('every gRPC service has a row in the table of callers', () => {
  expect([...services].filter((service) => callers[service ?? ''] === undefined)).toEqual([]);
});

test('every row names an existing service or method and admits only processes of the platform', () => {
  const known = new Set([...services, ...methods]);
  expect(Object.keys(callers).filter((target) => !known.has(target))).toEqual([]);
  const processes = ['gateway', 'identity-service', 'business-service', 'webhook-service', 'canary'];
  for (const names of Object.values(callers)) {
    expect(names.filter((name) => !processes.includes(name))).toEqual([]);
  }
});
