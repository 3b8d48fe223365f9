import type { EmailContent } from '../web/mail.ts';
import { withoutLinks } from '../web/mail-message.ts';

/** After an hour of failures, after half of the five days, and when the endpoint was disabled: after them, or by a 410. */
export const warningSteps = ['failing', 'half_time', 'disabled', 'gone'] as const;

export type WarningStep = (typeof warningSteps)[number];

/** A step of a period in which an endpoint fails. */
export interface Warning {
  readonly endpointId: string;
  readonly businessId: number;
  /** Empty for an endpoint of the business itself. */
  readonly applicationId: string;
  readonly url: string;
  readonly step: WarningStep;
  /** Begin of the period, in milliseconds since 1970. */
  readonly since: number;
  /** When the endpoint was or will be disabled, in milliseconds since 1970. */
  readonly disabledAt: number;
}

/** An email that this process may send now. */
export interface DueWarning {
  readonly personId: string;
  readonly email: string;
}

interface WarningEmailInput extends Warning {
  /** Display name, chosen by its owner. */
  readonly businessName: string;
  readonly publicUrl: string;
}

/** Warns an owner that an endpoint receives nothing. */
export function warningEmail(input: WarningEmailInput): EmailContent {
  const { step, url, since, disabledAt, businessName } = input;
  // Not alone on its line, which would make it a button.
  const address = `Its address is ${addressOf(url)}`;
  const whose = `this webhook endpoint of "${withoutLinks(businessName)}"`;
  const failing = `Every delivery to ${whose} has failed since ${formatTime(since)}.
${address}

Failed deliveries are repeated. If they keep failing until ${formatTime(disabledAt)}, the endpoint is disabled.`;
  const texts: Readonly<Record<WarningStep, string>> = {
    failing,
    half_time: failing,
    disabled: `Every delivery to ${whose} has failed since ${formatTime(since)}, so it was disabled.
${address}

Nothing more is sent to it. Its events are kept for 30 days.`,
    gone: `The receiver of ${whose} responded with 410 Gone, so it was disabled.
${address}

Nothing more is sent to it. Its events are kept for 30 days.`,
  };
  const isDisabled = step === 'disabled' || step === 'gone';
  const advice = isDisabled
    ? 'Once your server works again, enable the endpoint and recover what it missed:'
    : 'See the responses of your server:';
  return {
    subject: isDisabled ? 'A webhook endpoint was disabled' : 'A webhook endpoint is failing',
    text: `${texts[step]}\n\n${advice}\n${endpointPage(input)}\n`,
  };
}

/** A URL without its query, which may hold a secret of the receiver. */
export function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Page of the dashboard that has an endpoint. */
function endpointPage({ publicUrl, businessId, applicationId }: WarningEmailInput): string {
  const developers = `${publicUrl}/dashboard/${businessId}/settings/developers`;
  return applicationId === '' ? `${developers}/webhooks` : `${developers}/apps/${applicationId}?tab=webhooks`;
}

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** `20 November 2026 at 09:30 UTC`. @param ms since 1970 */
const formatTime = (ms: number): string => `${timeFormat.format(ms)} UTC`;
