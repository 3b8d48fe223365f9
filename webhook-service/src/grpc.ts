import { customerService, eventFeedService } from '@platform/protos/business';
import { type WarningStepMessage, webhookSubscriptionService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { sentRpcs } from '@platform/service-kit/grpc/metrics.ts';
import type { GrpcTls } from '@platform/service-kit/grpc/tls.ts';
import type { Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Recipient } from './deliveries/recipients.ts';
import type { Warning } from './endpoints/endpoint.ts';
import type { ErasedEvents } from './erasures/erasures.ts';
import type { Subscription } from './feed/plan.ts';
import type { Feed } from './feed/reader.ts';

/** Deadline of a call, in milliseconds. */
const deadlineMs = 5_000;

/** Deadline of a call that sends email, in milliseconds. */
const mailDeadlineMs = 30_000;

const headsPerPage = 1_000;

const erasuresPerPage = 500;

/** Events of one batch, each below 20 kB. */
const eventsPerBatch = 100;

interface ClientOptions {
  readonly identityTarget: string;
  readonly businessTarget: string;
  readonly tls: GrpcTls;
  readonly keepaliveTimeoutMs: number;
  readonly registry: Registry;
}

/** The services that this one calls. */
export interface Clients {
  readonly feed: Feed;
  readonly erased: ErasedEvents;
  /** Applications whose endpoints are due events of a business, or that are named. @throws AppError unavailable */
  listSubscriptions(businessId: number, named: readonly string[]): Promise<readonly Subscription[]>;
  /** Whether each event may be sent now. @throws AppError unavailable */
  checkRecipients(recipients: readonly Recipient[]): Promise<readonly boolean[]>;
  /** Emails the owners, once for each step of a period; false when some email is still to be sent. @throws AppError */
  warnOwners(warning: Warning): Promise<boolean>;
  /** Those of these applications that do not exist. @throws AppError unavailable */
  findDeletedApplications(ids: readonly string[]): Promise<readonly string[]>;
  close(): void;
}

const warningSteps = {
  failing: 'WARNING_STEP_FAILING',
  half_time: 'WARNING_STEP_HALF_TIME',
  disabled: 'WARNING_STEP_DISABLED',
  gone: 'WARNING_STEP_GONE',
} as const satisfies Record<Warning['step'], WarningStepMessage>;

export function createClients(options: ClientOptions): Clients {
  const { identityTarget, businessTarget, registry, ...rest } = options;
  const shared = { ...rest, observe: sentRpcs(registry) };
  const events = createGrpcClient(eventFeedService, { ...shared, target: businessTarget });
  const customers = createGrpcClient(customerService, { ...shared, target: businessTarget });
  const identity = createGrpcClient(webhookSubscriptionService, { ...shared, target: identityTarget });
  return {
    feed: {
      listHeads: async (changedSinceUnixMs, pageToken) => {
        const request = { changedSinceUnixMs, pageToken, limit: headsPerPage };
        const { heads, nextPageToken, nowUnixMs } = await events.rpc.ListHeads(request, { deadlineMs });
        return { heads, nextPageToken, nowMs: nowUnixMs };
      },
      readEvents: async (businessId, afterSequence) => {
        const request = { businessId, afterSequence, limit: eventsPerBatch };
        const { events: read, lastSequence } = await events.rpc.ReadEvents(request, { deadlineMs });
        return {
          events: read.map(({ createdAtUnixMs, ...event }) => ({
            ...event,
            createdAt: new Date(createdAtUnixMs),
          })),
          lastSequence,
        };
      },
      watchHeads: async function* (signal) {
        yield* events.streams.WatchHeads({}, { signal });
      },
    },
    erased: {
      list: async (afterId) =>
        (await customers.rpc.ListErasedEvents({ afterId, limit: erasuresPerPage }, { deadlineMs })).events,
      confirm: async (ids) => {
        await customers.rpc.ConfirmErasedEvents({ ids: [...ids] }, { deadlineMs });
      },
    },
    listSubscriptions: async (businessId, named) => {
      const request = { businessId, applicationIds: [...named] };
      return (await identity.rpc.ListSubscriptions(request, { deadlineMs })).subscriptions;
    },
    checkRecipients: async (recipients) =>
      (await identity.rpc.CheckRecipients({ recipients: [...recipients] }, { deadlineMs })).allowed,
    warnOwners: async ({ endpointId, owner, url, step, since, disabledAt }) => {
      const times = { sinceUnixMs: since.getTime(), disabledAtUnixMs: disabledAt.getTime() };
      const request = { endpointId, ...owner, url, step: warningSteps[step], ...times };
      return (await identity.rpc.WarnOwners(request, { deadlineMs: mailDeadlineMs })).done;
    },
    findDeletedApplications: async (ids) =>
      (await identity.rpc.FindDeletedApplications({ applicationIds: [...ids] }, { deadlineMs }))
        .applicationIds,
    close: () => {
      events.close();
      customers.close();
      identity.close();
    },
  };
}
