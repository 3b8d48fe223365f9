import {
  deliveryService,
  type EndpointMessage,
  endpointService,
  receiverCheckService,
} from '@platform/protos/webhook';
import { createGrpcClient, type GrpcClientOptions } from '@platform/service-kit/grpc/client.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import {
  type AttemptRecord,
  attemptRecord,
  type DeliveryRecord,
  type DeliveryStatus,
  deliveryRecord,
  type EndpointRecord,
  endpointRecord,
  statusMessages,
} from './webhook-records.ts';

/** Owner of endpoints. */
export interface Owner {
  readonly businessId: number;
  /** Empty for endpoints of the business itself. */
  readonly applicationId: string;
}

export interface EndpointReference {
  readonly owner: Owner;
  readonly endpointId: string;
}

export interface EndpointSettings {
  readonly url: string;
  readonly description: string;
  /** Empty for all. */
  readonly events: readonly string[];
}

/** Settings, and the person who decides them; empty for none. */
type MadeSettings = EndpointSettings & { readonly madeBy: string };

/** An endpoint among those of a person. */
export interface MadeEndpoint {
  readonly endpoint: EndpointRecord;
  /** Empty for an endpoint of the business itself. */
  readonly applicationId: string;
}

interface EndMadeEndpoints {
  readonly businessId: number;
  readonly madeBy: string;
  readonly keptIds: readonly string[];
  /** The person who has made those from then on. */
  readonly keptBy: string;
}

function madeEndpoint(message: EndpointMessage): MadeEndpoint {
  return { endpoint: endpointRecord(message), applicationId: message.owner?.applicationId ?? '' };
}

interface DeliveryFilter {
  readonly owner: Owner;
  readonly endpointId?: string | undefined;
  readonly type?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  /** Inclusive, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Exclusive, in milliseconds since 1970. */
  readonly until?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Deadline for ending a backlog, which takes many statements. */
const drainCall = { deadlineMs: 30_000 };

/** Deadline for changes of several statements. If one were cut off, it could succeed without an audit event. */
const changeCall = { deadlineMs: 10_000 };

/** Deliveries of one page. */
const pageSize = 50;

/** Endpoints of webhook-service. Errors are AppErrors; unavailable when it does not respond. */
function endpointCalls({ rpc }: { readonly rpc: EndpointRpc }) {
  return {
    listEndpoints: async (owner: Owner): Promise<EndpointRecord[]> =>
      (await rpc.ListEndpoints({ owner })).endpoints.map(endpointRecord),
    createEndpoint: async (owner: Owner, settings: MadeSettings) => {
      const request = { owner, ...settings, events: [...settings.events] };
      const { endpoint, secret } = await rpc.CreateEndpoint(request, changeCall);
      return { endpoint: endpointRecord(present(endpoint)), secret };
    },
    getEndpoint: async (reference: EndpointReference): Promise<EndpointRecord> =>
      endpointRecord(present((await rpc.GetEndpoint(reference)).endpoint)),
    updateEndpoint: async (
      reference: EndpointReference,
      { url = '', description = '', events = [], madeBy = '' }: Partial<MadeSettings>,
      paths: readonly string[],
    ): Promise<EndpointRecord> => {
      const settings = { url, description, events: [...events], madeBy };
      const changes = { ...settings, updateMask: { paths: [...paths] } };
      const { endpoint } = await rpc.UpdateEndpoint({ ...reference, ...changes }, changeCall);
      return endpointRecord(present(endpoint));
    },
    deleteEndpoint: async (reference: EndpointReference): Promise<void> => {
      await rpc.DeleteEndpoint(reference, changeCall);
    },
    enableEndpoint: async (reference: EndpointReference) => {
      const { endpoint, recoverable } = await rpc.EnableEndpoint(reference, changeCall);
      return { endpoint: endpointRecord(present(endpoint)), recoverable };
    },
    disableEndpoint: async (reference: EndpointReference): Promise<EndpointRecord> =>
      endpointRecord(present((await rpc.DisableEndpoint(reference, changeCall)).endpoint)),
    rotateSecret: async (reference: EndpointReference, endOld: boolean) => {
      const { endpoint, secret } = await rpc.RotateSecret({ ...reference, endOld }, changeCall);
      return { endpoint: endpointRecord(present(endpoint)), secret };
    },
    revealSecret: async (reference: EndpointReference) => rpc.RevealSecret(reference),
    /** Endpoints that a person made, of a business and of its applications. */
    listMadeEndpoints: async (businessId: number, madeBy: string): Promise<MadeEndpoint[]> =>
      (await rpc.ListMadeEndpoints({ businessId, madeBy })).endpoints.map(madeEndpoint),
    /** Deletes these endpoints, except that kept ones are given to another person. Resolves to the deleted ones. */
    endMadeEndpoints: async ({ keptIds, ...ending }: EndMadeEndpoints): Promise<MadeEndpoint[]> => {
      const { endpoints } = await rpc.EndMadeEndpoints({ ...ending, keptIds: [...keptIds] }, changeCall);
      return endpoints.map(madeEndpoint);
    },
    /** Of an endpoint of any owner. */
    listPublicKeys: async (endpointId: string): Promise<readonly string[]> =>
      (await rpc.ListPublicKeys({ endpointId })).publicKeys,
  };
}

/** Deliveries of webhook-service, in the same way. */
function deliveryCalls({ rpc, streams }: Pick<DeliveryClient, 'rpc' | 'streams'>) {
  return {
    /** Yields `changed` at once and after changes, until the signal aborts. */
    watchDeliveries: async function* (owner: Owner, signal: AbortSignal): AsyncGenerator<'changed'> {
      for await (const _ of streams.WatchDeliveries({ owner }, { signal })) yield 'changed';
    },
    listDeliveries: async (filter: DeliveryFilter) => {
      const { owner, endpointId = '', type, status, since = 0, until = 0, cursor = '' } = filter;
      const types = type === undefined ? [] : [type];
      const statuses = status === undefined ? [] : [statusMessages[status]];
      const span = { sinceUnixMs: since, untilUnixMs: until };
      const request = { owner, endpointId, types, statuses, ...span, limit: pageSize, cursor };
      const { deliveries, nextCursor } = await rpc.ListDeliveries(request);
      return { deliveries: deliveries.map(deliveryRecord), nextCursor: nextCursor || null };
    },
    getDelivery: async (owner: Owner, deliveryId: string) => {
      const { delivery, body, attempts } = await rpc.GetDelivery({ owner, deliveryId });
      const records: AttemptRecord[] = attempts.map(attemptRecord);
      return { delivery: deliveryRecord(present(delivery)), body, attempts: records };
    },
    resendDelivery: async (owner: Owner, deliveryId: string): Promise<DeliveryRecord> =>
      deliveryRecord(present((await rpc.ResendDelivery({ owner, deliveryId }, changeCall)).delivery)),
    /** Resolves to the number of deliveries that are sent again. @param since milliseconds since 1970 */
    recoverDeliveries: async (reference: EndpointReference, since: number): Promise<number> =>
      (await rpc.RecoverDeliveries({ ...reference, sinceUnixMs: since }, changeCall)).deliveries,
    /** Resolves to the number of deliveries that were pending and are skipped. */
    drainDeliveries: async (reference: EndpointReference): Promise<number> =>
      (await rpc.DrainDeliveries(reference, drainCall)).deliveries,
    /** @param data JSON text of the resource */
    sendTestEvent: async (
      reference: EndpointReference,
      type: string,
      data: string,
    ): Promise<DeliveryRecord> =>
      deliveryRecord(present((await rpc.SendTestEvent({ ...reference, type, data }, changeCall)).delivery)),
  };
}

/** Deadline of a check in milliseconds: longer than webhook-service takes. */
const check = { deadlineMs: 25_000 };

/** Checks of receivers by webhook-service, in the same way. */
function checkCalls({ rpc }: { readonly rpc: CheckRpc }) {
  return {
    /** @param data JSON text of the resource */
    checkReceiver: async (reference: EndpointReference, type: string, data: string) => {
      const { probes, findings } = await rpc.CheckReceiver({ ...reference, type, data }, check);
      return {
        probes: probes.map(({ status, eventId, ...probe }) => ({
          ...probe,
          status: status || null,
          eventId: eventId || null,
        })),
        findings,
      };
    },
  };
}

type CheckRpc = ReturnType<typeof createGrpcClient<typeof receiverCheckService>>['rpc'];

type EndpointRpc = ReturnType<typeof createGrpcClient<typeof endpointService>>['rpc'];

type DeliveryClient = ReturnType<typeof createGrpcClient<typeof deliveryService>>;

export type WebhookClient = NonNullable<ReturnType<typeof createWebhookClient>>;

/** Those of its functions that make one call. */
export type WebhookCalls = Omit<WebhookClient, 'watchDeliveries' | 'close'>;

/**
 * Client of webhook-service.
 * @param target undefined in an installation without webhook-service: there is no client then
 */
export function createWebhookClient(target: string | undefined, rest: Omit<GrpcClientOptions, 'target'>) {
  if (target === undefined) return undefined;
  const options = { ...rest, target };
  const endpoints = createGrpcClient(endpointService, options);
  const deliveries = createGrpcClient(deliveryService, options);
  const checks = createGrpcClient(receiverCheckService, options);
  return {
    ...endpointCalls(endpoints),
    ...deliveryCalls(deliveries),
    ...checkCalls(checks),
    close: () => {
      endpoints.close();
      deliveries.close();
      checks.close();
    },
  };
}

/** A message that a response must carry. @throws AppError internal */
function present<T>(message: T | null): T {
  if (message !== null) return message;
  throw new AppError('internal', 'empty_response', 'a service call failed');
}

export function notInstalled(): AppError {
  return new AppError('not_found', 'webhooks_not_installed', 'webhooks are not part of this installation');
}
