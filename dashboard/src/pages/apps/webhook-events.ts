import type { components } from '../../generated/dashboard-api.d.ts';

export type WebhookEvent = components['schemas']['WebhookEvent'];

/** Every event, in plain words, by what it is about. */
export const webhookEvents: readonly {
  readonly about: string;
  readonly events: readonly { readonly event: WebhookEvent; readonly words: string }[];
}[] = [
  {
    about: 'Orders',
    events: [
      { event: 'order.created', words: 'An order was created' },
      { event: 'order.paid', words: 'An order was paid' },
      { event: 'order.fulfilled', words: 'An order was fulfilled' },
      { event: 'order.cancelled', words: 'An order was cancelled' },
      { event: 'order.updated', words: 'An order was changed otherwise' },
    ],
  },
  {
    about: 'The connected business',
    events: [
      { event: 'business.verification_submitted', words: 'It asked to be verified' },
      { event: 'business.verified', words: 'It was verified' },
      { event: 'business.verification_rejected', words: 'Its verification was rejected' },
      { event: 'business.banned', words: 'It was banned' },
      { event: 'business.unbanned', words: 'Its ban was lifted' },
    ],
  },
];
