import { describeEvent } from '../audit/event-description.ts';
import type { readOperatorEvent } from '../audit/operator-log/log.ts';

type StoredEvent = ReturnType<typeof readOperatorEvent>;

/** Descriptions of actions that only the log of operators has. Each begins with a verb, as the operator precedes it. */
const descriptions: Readonly<Record<string, (event: StoredEvent) => string>> = {
  'console.searched': ({ details }) => `Searched for “${details.text}”`,
  'console.viewed': () => 'Looked at the business',
  'api_keys.viewed': ({ details }) =>
    details.text === '' ? 'Read the API keys' : `Searched the API keys for “${details.text}”`,
  'audit_log.viewed': () => 'Read the audit log',
  'request.viewed': ({ subjectId }) => `Read the request ${subjectId}`,
  'business.ban_proposed': () => 'Proposed to ban the business',
  'business.unban_proposed': () => 'Proposed to lift the ban on the business',
  'operator.invited': ({ details }) => `Invited ${details.email} as an operator`,
  'operator.invitation_withdrawn': ({ details }) => `Withdrew the invitation of ${details.email}`,
  'operator.joined': () => 'Accepted an invitation and became an operator',
  'operator.removed': ({ details }) => `Removed the operator ${details.email}`,
  'operator.four_eyes_on': () => 'Turned on four eyes: bans need two operators',
  'operator.four_eyes_off_asked': () => 'Asked to turn off four eyes',
  'operator.four_eyes_off': () => 'Turned off four eyes',
};

/** Describes an event. Events that are also in the audit log of the business are described as they are there. */
export function describeOperatorEvent(event: StoredEvent): string {
  const described = descriptions[event.action]?.(event);
  if (described !== undefined) return described;
  const { action, subjectId: id, details } = event;
  const name = typeof details.name === 'string' ? details.name : undefined;
  return describeEvent({
    id: '',
    at: 0,
    actor: { kind: 'operator', id: event.operator, name: undefined, email: undefined },
    clientIp: event.clientIp,
    requestId: '',
    action,
    subject: { kind: action.split('.', 1)[0] ?? '', id, name, exists: true },
    details,
  });
}
