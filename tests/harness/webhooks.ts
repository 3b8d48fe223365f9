import { deliveryService, endpointService } from '@platform/protos/webhook';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { TestApplication } from './applications.ts';
import { orderBody } from './business-platform.ts';
import { expectEventually } from './expect-eventually.ts';
import { call, callPatience } from './patience.ts';
import type { Platform } from './platform.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** Types of events that `enable` chooses. */
export const orderEvents = ['order.created', 'order.paid'] as const;

/** An owner in requests of webhook.v1. */
interface Owner {
  readonly businessId: number;
  readonly applicationId: string;
}

/** Calls of webhook-service in tests. */
export interface Webhooks {
  readonly endpointRpc: GrpcClient<typeof endpointService>['rpc'];
  readonly deliveryRpc: GrpcClient<typeof deliveryService>['rpc'];
  /** Switches webhooks of an application on, for these types. */
  enable(application: TestApplication, events?: readonly string[]): Promise<void>;
  disable(application: TestApplication): Promise<void>;
  /** Creates an endpoint; resolves to its identifier and its secret. */
  createEndpoint(
    owner: Owner,
    url: string,
    events?: readonly string[],
  ): Promise<{ readonly id: string; readonly secret: string }>;
  /** Deliveries of an owner, newest first. */
  deliveries(owner: Owner, filter?: object): ReturnType<Webhooks['deliveryRpc']['ListDeliveries']>;
  close(): void;
}

export function connectWebhooks(platform: Platform): Webhooks {
  const target = `ipv4:${platform.webhooks.map(({ ports }) => `127.0.0.1:${ports.grpc}`).join(',')}`;
  const tls = { kind: 'plain' } as const;
  const endpoints = createGrpcClient(endpointService, { target, tls, ...callPatience });
  const deliveries = createGrpcClient(deliveryService, { target, tls, ...callPatience });
  const update = (application: TestApplication, webhooksEnabled: boolean, webhookEvents: readonly string[]) =>
    platform.updateApplication(application, { webhooksEnabled, webhookEvents: [...webhookEvents] });
  return {
    endpointRpc: endpoints.rpc,
    deliveryRpc: deliveries.rpc,
    enable: async (application, events = orderEvents) => void (await update(application, true, events)),
    disable: async (application) => void (await update(application, false, orderEvents)),
    createEndpoint: async (owner, url, events = []) => {
      const request = { owner, url, description: '', events: [...events] };
      const { endpoint, secret } = await endpoints.rpc.CreateEndpoint(request, call);
      if (endpoint === null) throw new Error('webhook-service responded without an endpoint.');
      return { id: endpoint.id, secret };
    },
    deliveries: (owner, filter = {}) => deliveries.rpc.ListDeliveries({ owner, limit: 100, ...filter }, call),
    close: () => {
      endpoints.close();
      deliveries.close();
    },
  };
}

/** The owner of endpoints of an application. */
export const ownerOf = ({ id, businessId }: TestApplication): Owner => ({ businessId, applicationId: id });

/** Makes an order through the gateway; resolves to its identifier. */
export async function makeOrder(platform: Platform, key: string): Promise<string> {
  const response = await platform.request(0, 'POST', '/v2/order', { key, body: orderBody });
  if (response.status !== 201) throw new Error(`No order, but ${response.status}: ${response.text}`);
  return String((response.json() as { id: unknown }).id);
}

/** Identifiers of the orders whose events a receiver got, in the order of their arrival. */
export function ordersOf({ received }: WebhookReceiver): string[] {
  return received.map(({ event }) => String((event.data as { id?: unknown } | undefined)?.id));
}

/** Waits until a receiver has got so many requests. */
export function awaitReceived(receiver: WebhookReceiver, count: number, withinMs = 5_000): Promise<void> {
  return expectEventually(
    () => {
      if (receiver.received.length >= count) return;
      throw new Error(`${receiver.received.length} of ${count} requests arrived`);
    },
    { withinMs },
  );
}
