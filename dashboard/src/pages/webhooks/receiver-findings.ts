import type { components } from '../../generated/dashboard-api.d.ts';

export type Probe = components['schemas']['WebhookProbe'];

/** Requests of a check, as a person reads them. */
export const probeLabels: Readonly<Record<string, string>> = {
  good: 'A correct request',
  tampered: 'Changed after it was signed',
  stale: 'Signed ten minutes ago',
  duplicated: 'The first one again',
  later: 'An event before the one that precedes it',
  earlier: 'The event that precedes it',
  slow_body: 'A body that takes two seconds',
};

/** Requests that a receiver must refuse. */
export const mustRefuse: ReadonlySet<string> = new Set(['tampered', 'stale']);

/** A mistake, and where the guide has code that does it right. */
interface Fix {
  readonly text: string;
  /** Section of the guide that explains it; undefined where the receivers show it. */
  readonly section?: string;
}

/** Mistakes by finding of a check, and `not_deduplicated`, which only the developer can detect. */
const fixes: Readonly<Record<string, Fix>> = {
  unreachable: {
    text: 'A correct request got no response, so the others were not sent. Check the address, the certificate and that your server runs.',
  },
  good_failed: {
    text: 'Your server failed on a correct request, so the others were not sent. Its log says why; then check again.',
  },
  good_refused: {
    text: 'A correct request was not accepted, so the others were not sent. Verify the bytes as they came, before any parser, with the current secret, and respond with 2xx.',
  },
  tampered_accepted: {
    text: 'A request with a wrong signature was accepted: anyone can send you events. Verify the signature before anything else.',
  },
  tampered_failed: {
    text: 'A wrong signature made your server fail. Catch the error of the verification and respond with 400.',
  },
  stale_accepted: {
    text: 'An old request was accepted: a recorded one can be sent again. Refuse a webhook-timestamp that is more than five minutes away; the libraries do.',
  },
  stale_failed: {
    text: 'An old request made your server fail. Catch the error of the verification and respond with 400.',
  },
  duplicated_refused: {
    text: 'A repeated event was refused, so it would be sent again and again. Respond with 2xx to a webhook-id that you know, and do nothing.',
    section: 'deduplicate',
  },
  reordered_refused: {
    text: 'Events in another order were refused. Accept every event, and compare sequence afterwards.',
    section: 'put-events-in-order',
  },
  slow_body_refused: {
    text: 'A slow body was refused. Give request bodies at least 15 seconds.',
    section: 'respond-fast',
  },
  slow_response: {
    text: 'A response took more than two seconds. Store the event and respond, then process it.',
    section: 'respond-fast',
  },
  not_deduplicated: {
    text: 'An event was handled twice. Store its webhook-id with your change, and skip an id that is there.',
    section: 'deduplicate',
  },
};

/** The fix for a finding. A finding of a newer release is shown by its name. */
export function fixOf(finding: string): Fix {
  return fixes[finding] ?? { text: finding };
}

/** Address of a section of the guide. */
export function guideAt(section: string): string {
  return `/docs/webhooks#${section}`;
}
