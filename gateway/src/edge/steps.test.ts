import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import type { RequestHandler } from 'express';
import { createRouteTable } from '../routes.ts';
import { ClientShares } from './client-shares.ts';
import { createEdgeServer, type EdgeServer } from './server.ts';
import { createStepsApp } from './steps.ts';
import { UnreadResponses } from './unread.ts';

let server: EdgeServer | undefined;
afterEach(() => void server?.close());

/** Response to a request that takes these steps. */
async function responseTo(...steps: RequestHandler[]): Promise<{ status: number; text: string }> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const metrics = { count: () => undefined };
  const registry = createRegistry('test');
  const shares = new ClientShares({ perClient: 10, isTrusted: () => false, registry, logger });
  const unread = new UnreadResponses(registry, logger);
  server = createEdgeServer(createStepsApp(...steps), {
    maxConnections: 10,
    logger,
    metrics,
    docsUrl: '/docs/errors',
    shares,
    unread,
    routes: createRouteTable({ operations: [] }),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { Connection: 'close' } });
  return { status: response.status, text: await response.text() };
}

const respond: RequestHandler = ({ exchange }) => exchange.respond(204, {});

test('steps run in order, each when the one before calls next', async () => {
  const order: number[] = [];
  const step =
    (number: number): RequestHandler =>
    (_req, _res, next) => {
      order.push(number);
      setImmediate(next);
    };
  expect(await responseTo(step(1), step(2), respond, step(3))).toEqual({ status: 204, text: '' });
  expect(order).toEqual([1, 2]);
});

test.each<[string, RequestHandler]>([
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['rejects', async () => Promise.reject(new Error('no'))],
  ['passes an error on', (_req, _res, next) => next(new Error('no'))],
  ['is the last and does not respond', (_req, _res, next) => next()],
])('a step that %s fails the request', async (_, step) => {
  const { status, text } = await responseTo(step);
  expect([status, JSON.parse(text)]).toEqual([500, expect.objectContaining({ error: 'unexpected error' })]);
});
