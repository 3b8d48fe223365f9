import type { WarningStepMessage, webhookSubscriptionService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import { z } from 'zod';
import type { ApiScopes } from '../platform/scope.ts';
import { maxInstant } from '../platform/text.ts';
import { mayReceive } from './recipient.ts';
import type { SubscriptionStore } from './store.ts';
import { type Warning, type WarningStep, warningSteps } from './warning.ts';

interface WebhookDeps {
  readonly subscriptions: SubscriptionStore;
  readonly apiScopes: ApiScopes;
  /** Those of these businesses that are banned. @throws AppError unavailable */
  readonly findBanned: (businessIds: readonly number[], requestId: string) => Promise<ReadonlySet<number>>;
  /** Emails the owners of an endpoint; resolves to whether nothing is left to send. */
  readonly warnOwners: (warning: Warning, requestId: string) => Promise<boolean>;
}

const businessId = z.int().min(1, 'must be the identifier of a business');

const listRequest = z.object({
  businessId,
  applicationIds: z.array(z.string()).max(500),
});

const recipient = z.object({
  applicationId: z.string(),
  businessId,
  type: z.string(),
  madeBy: z.string().max(100),
});

const checkRequest = z.object({ recipients: z.array(recipient).min(1).max(500) });

const stepMessages = {
  failing: 'WARNING_STEP_FAILING',
  half_time: 'WARNING_STEP_HALF_TIME',
  disabled: 'WARNING_STEP_DISABLED',
  gone: 'WARNING_STEP_GONE',
} as const satisfies Record<WarningStep, WarningStepMessage>;

const endpointId = z.string().regex(/^whe_[0-9A-Za-z]{20}$/, 'must be the identifier of an endpoint');

const warnRequest = z
  .object({
    endpointId,
    businessId,
    applicationId: z.string().max(100),
    url: z.url({ protocol: /^https?$/, error: 'must be a URL' }).max(2_000),
    step: z.string().transform((message, context): WarningStep => {
      const found = warningSteps.find((step) => stepMessages[step] === message);
      if (found !== undefined) return found;
      context.addIssue({ code: 'custom', message: 'must be a step of a period of failures' });
      return z.NEVER;
    }),
    sinceUnixMs: z.int().min(1).max(maxInstant),
    disabledAtUnixMs: z.int().min(1).max(maxInstant),
  })
  .transform(
    ({ sinceUnixMs: since, disabledAtUnixMs: disabledAt, ...rest }): Warning => ({
      ...rest,
      since,
      disabledAt,
    }),
  );

const applicationsRequest = z.object({ applicationIds: z.array(z.string().max(100)).min(1).max(500) });

/** Handlers of identity.v1.WebhookSubscriptionService. */
export function webhookHandlers(deps: WebhookDeps): UnaryHandlers<typeof webhookSubscriptionService> {
  const { subscriptions: store, apiScopes, findBanned } = deps;
  return {
    ListSubscriptions: async (request) => {
      const { businessId, applicationIds } = parseRequest(listRequest, request);
      // Includes frozen businesses: CheckRecipients withdraws their deliveries, so that they can be recovered later.
      const subscriptions = await store.subscriptions(businessId, applicationIds);
      return {
        subscriptions: subscriptions.map((one) => ({
          applicationId: one.id,
          ownerBusinessId: one.businessId,
          events: one.webhookEvents.toSorted(),
          scopes: [...(one.scopes ?? apiScopes.keys())],
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
    WarnOwners: async (request, { requestId }) => ({
      done: await deps.warnOwners(parseRequest(warnRequest, request), requestId),
    }),
    FindDeletedApplications: async (request) => {
      const { applicationIds } = parseRequest(applicationsRequest, request);
      return { applicationIds: await store.deletedAmong(applicationIds) };
    },
  };
}
