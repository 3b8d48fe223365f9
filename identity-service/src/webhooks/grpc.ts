import type { webhookSubscriptionService } from '@platform/protos/identity';
import { scopes as allScopes } from '@platform/protos/vocabulary';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/validation.ts';
import { z } from 'zod';
import { businessId } from '../platform/grpc-requests.ts';
import { mayReceive } from './recipient.ts';
import type { SubscriptionStore } from './store.ts';

interface WebhookDeps {
  readonly subscriptions: SubscriptionStore;
  /** Those of these businesses that are banned. @throws AppError unavailable */
  readonly findBanned: (businessIds: readonly number[], requestId: string) => Promise<ReadonlySet<number>>;
}

const listRequest = z.object({
  businessId,
  applicationIds: z.array(z.string()).max(500),
});

const recipient = z.object({ applicationId: z.string(), businessId, type: z.string() });

const checkRequest = z.object({ recipients: z.array(recipient).min(1).max(500) });

/** Handlers of identity.v1.WebhookSubscriptionService. */
export function webhookHandlers(deps: WebhookDeps): UnaryHandlers<typeof webhookSubscriptionService> {
  const { subscriptions: store, findBanned } = deps;
  return {
    ListSubscriptions: async (request) => {
      const { businessId, applicationIds } = parseRequest(listRequest, request);
      const [subscriptions, frozen] = await Promise.all([
        store.subscriptions(businessId, applicationIds),
        store.frozenAmong([businessId]),
      ]);
      if (frozen.has(businessId)) return { subscriptions: [] };
      return {
        subscriptions: subscriptions.map((one) => ({
          applicationId: one.id,
          ownerBusinessId: one.businessId,
          events: one.webhookEvents.toSorted(),
          scopes: [...(one.scopes ?? allScopes)],
        })),
      };
    },
    CheckRecipients: async (request, { requestId }) => {
      const { recipients } = parseRequest(checkRequest, request);
      const facts = await store.facts(recipients);
      const owners = [...facts.subscribers.values()].map((subscriber) => subscriber.businessId);
      const businessIds = new Set([...recipients.map((one) => one.businessId), ...owners]);
      const banned = await findBanned([...businessIds], requestId);
      return { allowed: recipients.map((one) => mayReceive(one, { ...facts, banned })) };
    },
  };
}
