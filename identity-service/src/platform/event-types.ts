import { type AudienceOf, audiencesWith } from '@platform/protos/vocabulary';
import type { Api, EventType } from '@platform/service-kit/api/api.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';

/** Types of the platform's that an application may choose. */
const ofApplications = [
  'application.connected',
  'application.disconnected',
  'business.banned',
  'business.unbanned',
  'business.updated',
  'business.verification_rejected',
  'business.verification_submitted',
  'business.verified',
  'order.cancelled',
  'order.created',
  'order.fulfilled',
  'order.paid',
  'order.updated',
];

/** Types that the business alone receives. */
const ofBusinesses = ['api_key.expired', 'api_key.expiring'];

/** The types of events that webhooks are sent for. */
export interface ApiEvents {
  /** Types that an application may choose, sorted. */
  readonly forApplications: readonly string[];
  /** Types that a business may choose for its own endpoints. */
  readonly forBusinesses: readonly string[];
  /** Those of the operator's services. */
  readonly own: readonly EventType[];
  readonly audienceOf: AudienceOf;
}

export function apiEventsOf({ events: own }: Pick<Api, 'events'>): ApiEvents {
  const forApplications = [...ofApplications, ...own.map(({ name }) => name)].sort();
  return {
    forApplications,
    forBusinesses: [...ofBusinesses, ...forApplications],
    own,
    audienceOf: audiencesWith(own),
  };
}

/**
 * The chosen types, sorted.
 * @param held types that were chosen before, which the API may have no longer
 * @throws AppError for unknown or repeated ones
 */
export function chooseEvents(
  { forApplications }: ApiEvents,
  chosen: readonly string[],
  held: readonly string[] = [],
): string[] {
  if (!chosen.every((type) => forApplications.includes(type) || held.includes(type))) {
    throw invalid('unknown_webhook_event', `webhook events must be among ${forApplications.join(', ')}`);
  }
  if (new Set(chosen).size < chosen.length) {
    throw invalid('duplicate_webhook_event', 'a webhook event is given twice');
  }
  return [...chosen].sort();
}

const invalid = (reason: string, text: string) => new AppError('invalid_argument', reason, text);
