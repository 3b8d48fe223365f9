import { expect, test } from '@jest/globals';
import { deliveryService, endpointService } from '@platform/protos/webhook';
import { grpcService, startGrpcServer } from '@platform/service-kit/grpc/server.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createWebhookClient } from './webhook.ts';

const reference = { owner: { businessId: 1, applicationId: '' }, endpointId: `whe_${'0'.repeat(20)}` };

test('calls that change endpoints or deliveries have longer deadlines than reads', async () => {
  const held = Promise.withResolvers<void>();
  const respond = async () => {
    await held.promise;
    return {};
  };
  const handlersOf = (service: object) =>
    Object.fromEntries(Object.keys(service).map((name) => [name, respond])) as never;
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: { kind: 'plain' },
    callers: {},
    services: [
      grpcService(endpointService, handlersOf(endpointService)),
      grpcService(deliveryService, handlersOf(deliveryService), { async *WatchDeliveries() {} }),
    ],
    logger: createLogger({ service: 'test', level: 'silent' }),
    registry: createRegistry('test'),
  });
  const target = `ipv4:127.0.0.1:${server.port}`;
  const client = createWebhookClient(target, { tls: { kind: 'plain' }, deadlineMs: 100 });
  if (client === undefined) throw new Error('no client');
  const changes = Promise.allSettled([
    client.createEndpoint(reference.owner, { url: '', description: '', events: [], madeBy: '' }),
    client.updateEndpoint(reference, {}, ['events']),
    client.deleteEndpoint(reference),
    client.endMadeEndpoints({ businessId: 1, madeBy: 'per_1', keptIds: [], keptBy: 'per_2' }),
    client.enableEndpoint(reference),
    client.disableEndpoint(reference),
    client.rotateSecret(reference, true),
    client.recoverDeliveries(reference, 0),
    client.drainDeliveries(reference),
    client.resendDelivery(reference.owner, `dlv_${'0'.repeat(20)}`),
    client.sendTestEvent(reference, 'order.paid', '{}'),
  ]);
  await expect(client.getEndpoint(reference)).rejects.toMatchObject({ kind: 'unavailable' });
  held.resolve();
  // Those that expect an endpoint or a delivery in the response find none.
  const ended = (await changes).map((result) => (result.status === 'rejected' ? result.reason.reason : ''));
  const none = 'empty_response';
  expect(ended).toEqual([none, none, '', '', none, none, none, '', '', none, none]);
  client.close();
  await server.close(1_000);
});
