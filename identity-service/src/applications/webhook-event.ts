import { AppError } from '@platform/service-kit/app-error.ts';

/** Events of business-service that an application may choose, sorted. */
export const webhookEvents = [
  'business.banned',
  'business.unbanned',
  'business.verification_rejected',
  'business.verification_submitted',
  'business.verified',
  'order.cancelled',
  'order.created',
  'order.fulfilled',
  'order.paid',
  'order.updated',
] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

export function isWebhookEvent(candidate: string): candidate is WebhookEvent {
  return (webhookEvents as readonly string[]).includes(candidate);
}

/** The chosen events, sorted. @throws AppError for unknown or repeated ones */
export function checkWebhookEvents(candidates: readonly string[]): WebhookEvent[] {
  const known = candidates.filter(isWebhookEvent);
  if (known.length < candidates.length) {
    throw new AppError(
      'invalid_argument',
      'unknown_webhook_event',
      `webhook events must be among ${webhookEvents.join(', ')}`,
    );
  }
  if (new Set(known).size < known.length) {
    throw new AppError('invalid_argument', 'duplicate_webhook_event', 'a webhook event is given twice');
  }
  return known.sort();
}
