import type { EmailContent } from '../../web/mail.ts';
import { withoutLinks } from '../../web/mail-message.ts';
import type { LimitKind, LimitRequest } from './limit-request.ts';

/** The limit in a sentence. */
const limitNames: Readonly<Record<LimitKind, string>> = {
  connected_users: 'connected businesses',
  rate_limit: 'requests in any hour',
};

/** Page of the dashboard that shows the limit. */
function pageOf({ businessId, kind, subjectId }: LimitRequest): string {
  const page = kind === 'rate_limit' ? 'keys' : 'apps';
  return `/dashboard/${businessId}/settings/developers/${page}/${subjectId}`;
}

/** Notifies the person who asked of the decision. The name, which an owner chose, holds no link. */
export function decisionEmail(request: LimitRequest, publicUrl: string): EmailContent {
  const { kind, subjectName = '', requestedLimit, grantedLimit, decisionReason } = request;
  const thing = `${kind === 'rate_limit' ? 'API key' : 'app'} "${withoutLinks(subjectName)}"`;
  const asked = `You asked for ${format(requestedLimit)} ${limitNames[kind]} for the ${thing}.`;
  const isGranted = grantedLimit !== undefined;
  const decision = isGranted
    ? `It is granted: the limit is now ${format(grantedLimit)}.`
    : 'It is declined: the limit stays as it is.';
  const reason = decisionReason === '' ? '' : `\nThe reason: "${decisionReason}"\n`;
  return {
    subject: isGranted ? 'Your limit was raised' : 'Your request for a higher limit was declined',
    text: `${asked}\n${decision}\n${reason}\n${publicUrl}${pageOf(request)}\n`,
  };
}

/** Notifies operators of a request that waits. */
export function requestedEmail({
  businessId,
  kind,
  currentLimit = 0,
  requestedLimit,
  reason,
}: LimitRequest): EmailContent {
  return {
    subject: `Business ${businessId} asks for a higher limit`,
    text: `Business ${businessId} asks for ${format(requestedLimit)} ${limitNames[kind]} instead of ${format(currentLimit)}.

The reason: ${withoutLinks(reason)}

See it beside the use of the last 30 days:
npm run admin -- request list
`,
  };
}

function format(count: number): string {
  return count.toLocaleString('en');
}
