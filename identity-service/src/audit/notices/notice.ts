import { z } from 'zod';
import type { SharedAuditEvent } from '../../platform/actor.ts';

/** Subjects of notices. Of each but the fixed ones a person chooses whether it is emailed. */
export const topics = {
  security: {
    label: 'Security',
    description:
      'Logins from new browsers, changes of your email address, password, passkeys and second factor, stolen tokens, keys and client secrets that leaked or were sent unencrypted, new secret keys, client secrets, redirect URIs, addresses of apps and keys, and webhook endpoints, who becomes or stops being an owner, verification, removed logos, bans, and whether a business requires a second factor, or an end of API keys.',
    isFixed: true,
  },
  keys: {
    label: 'API keys',
    description:
      'Keys of your businesses, and keys that you created, that expire in 14, 7 and 1 days, or whose old strings are still used.',
    isFixed: false,
  },
  limits: {
    label: 'Rate limits',
    description:
      'Limits that were raised or lowered, declined requests for higher ones, API keys that have used 80% of their rolling hour, and the first 429 of a day.',
    isFixed: false,
  },
  connections: {
    label: 'Connected apps',
    description: 'Apps that are connected to your businesses, and that are disconnected.',
    isFixed: false,
  },
  access: {
    label: 'API access',
    description: 'Freezes of API access and of single keys, suspended apps, and sandboxes that end.',
    isFixed: false,
  },
  team: {
    label: 'Team',
    description: 'Your role in a business, when it is changed or ends, and who leaves your businesses.',
    isFixed: false,
  },
} as const;

export type Topic = keyof typeof topics;

/** Subjects that are always emailed, at once. */
type FixedTopic = { [Each in Topic]: (typeof topics)[Each]['isFixed'] extends true ? Each : never }[Topic];

/** Subjects whose emails a person chooses. */
export type ChosenTopic = Exclude<Topic, FixedTopic>;

/** When a person gets the emails of a topic; daily: those of a day in one. */
export const emailChoices = ['at_once', 'daily', 'off'] as const;

export type EmailChoice = (typeof emailChoices)[number];

export function isTopic(candidate: string): candidate is Topic {
  return candidate in topics;
}

/** Topics whose emails a person chooses. */
export const chosenTopics: readonly ChosenTopic[] = (Object.keys(topics) as Topic[]).filter(
  (topic): topic is ChosenTopic => !topics[topic].isFixed,
);

/**
 * Recipients of the notice of an event: the person that it is about, as a notice of the account (`subject`) or of the business
 * (`member`), or the other owners of the business.
 */
interface NoticeRule {
  readonly topic: Topic;
  readonly to: 'subject' | 'member' | 'owners' | 'member and owners';
  /** Address for the email, if it differs from the person's current address. */
  readonly recipient?: string;
  /** Limits notices to one an hour, for events that another business can cause repeatedly. */
  readonly oncePerHour?: true;
}

/** Id of the actor of what reports of leaks cause. */
export const leakReport = 'leak-report';

const security = { topic: 'security', to: 'subject' } as const;

const access = { topic: 'access', to: 'owners' } as const;

/** A suspension by an operator always causes a notice, so that its reason is read. Others cause one an hour. */
const suspension = ({ actor }: SharedAuditEvent): NoticeRule =>
  actor.kind === 'operator' ? access : { ...access, oncePerHour: true };

/** Notifies of a limit only if its value has changed. */
const newLimit = ({ details }: SharedAuditEvent): NoticeRule | undefined => {
  const { from, to } = limitsOf(details);
  return from === to ? undefined : { topic: 'limits', to: 'owners' };
};

/** Notifies all owners of changes among owners: an attacker with one owner's session could add or remove owners. */
const newRole = ({ details }: SharedAuditEvent): NoticeRule => {
  const { from, to } = roleChangeOf(details);
  const isOfOwner = from === 'owner' || to === 'owner';
  return isOfOwner ? { topic: 'security', to: 'member and owners' } : { topic: 'team', to: 'member' };
};

/** Notifies a removed member. If the member left voluntarily, notifies the owners: what the person made still works. */
const removal = ({ actor, subjectId, details }: SharedAuditEvent): NoticeRule => {
  const hasLeft = actor.id === subjectId;
  if (details.role === 'owner') return { topic: 'security', to: hasLeft ? 'owners' : 'member and owners' };
  return { topic: 'team', to: hasLeft ? 'owners' : 'member' };
};

/** Notifies owners of changes by people that give access, since an attacker with a stolen session would make them. */
const newAccess =
  (gives: (details: SharedAuditEvent['details']) => boolean = () => true) =>
  ({ actor, details, noticeDetails }: SharedAuditEvent): NoticeRule | undefined =>
    actor.kind === 'person' && gives({ ...details, ...noticeDetails })
      ? { topic: 'security', to: 'owners' }
      : undefined;

const changedList = z
  .object({ from: z.array(z.string()), to: z.array(z.string()) })
  .transform(({ from, to }) => to.filter((entry) => !from.includes(entry)))
  .catch([]);

/** Redirect URIs and addresses that a change of an application has added. */
export const addedEntries = (details: Readonly<Record<string, unknown>>) => ({
  redirectUris: changedList.parse(details.redirectUris),
  ipWhitelist: changedList.parse(details.ipWhitelist),
});

/** Rules by action of the audit log. Other actions cause no notices. */
const rules: Readonly<Record<string, NoticeRule | ((event: SharedAuditEvent) => NoticeRule | undefined)>> = {
  'person.logged_in': ({ details }) => (details.newBrowser === undefined ? undefined : security),
  'person.password_changed': security,
  'person.password_reset': security,
  'person.email_changed': ({ noticeDetails }) => {
    const replaced = z.string().safeParse(noticeDetails?.from).data;
    return replaced === undefined ? security : { ...security, recipient: replaced };
  },
  'person.email_change_undone': security,
  'person.second_factor_enabled': security,
  'person.second_factor_disabled': security,
  'person.recovery_codes_renewed': security,
  'person.passkey_added': security,
  'person.passkey_removed': security,
  'person.passkey_refused': { ...security, oncePerHour: true },
  'member.joined': ({ details }) =>
    details.role === 'owner' ? { topic: 'security', to: 'owners' } : undefined,
  'member.removed': removal,
  'member.role_changed': newRole,
  'grant.created': { topic: 'connections', to: 'owners' },
  'grant.ended': ({ details }) => ({
    topic: isReuse(details.reason) ? 'security' : 'connections',
    to: 'owners',
  }),
  'application.connection_ended': { topic: 'security', to: 'owners' },
  'api_key.deleted': ({ details }) =>
    details.cause === 'self' ? { topic: 'security', to: 'owners' } : undefined,
  'api_key.leaked': { topic: 'security', to: 'owners' },
  'application.secret_leaked': { topic: 'security', to: 'owners' },
  'api_key.created': newAccess(({ keyType }) => keyType === 'secret'),
  'api_key.rotated': newAccess(({ keyType }) => keyType === 'secret'),
  'api_key.updated': newAccess(({ opened }) => opened === true),
  'application.created': newAccess(),
  'application.secret_rotated': newAccess(),
  'application.updated': newAccess((details) => Object.values(addedEntries(details)).flat().length > 0),
  'webhook_endpoint.created': newAccess(),
  'webhook_endpoint.updated': newAccess(({ url }) => url !== undefined),
  'person.deleted': { topic: 'team', to: 'owners' },
  'application.suspended': suspension,
  'application.resumed': suspension,
  'api_key.limit_set': newLimit,
  'application.limit_set': newLimit,
  'limit_request.declined': { topic: 'limits', to: 'owners' },
  'business.frozen': access,
  'business.unfrozen': access,
  // That of a leak has a notice of its own.
  'api_key.frozen': ({ actor }) => (actor.id === leakReport ? undefined : access),
  'api_key.unfrozen': access,
  'business.ending': access,
  'business.ended': access,
  'business.verified': { topic: 'security', to: 'owners' },
  'business.verification_rejected': { topic: 'security', to: 'owners' },
  'business.logo_removed': { topic: 'security', to: 'owners' },
  'business.banned': { topic: 'security', to: 'owners' },
  'business.unbanned': { topic: 'security', to: 'owners' },
  'business.key_lifetime_set': { topic: 'security', to: 'owners' },
  'business.leak_policy_set': { topic: 'security', to: 'owners' },
  'business.second_factor_required': { topic: 'security', to: 'owners' },
  'business.second_factor_optional': { topic: 'security', to: 'owners' },
};

const limits = z.object({ from: z.number(), to: z.number() });

/** A limit before and after a change. */
export function limitsOf({ limit }: Readonly<Record<string, unknown>>) {
  return limits.safeParse(limit).data ?? { from: undefined, to: undefined };
}

/** Whether a connection ended because a code or refresh token was used twice. */
export const isReuse = (reason: unknown): boolean => reason === 'code_reuse' || reason === 'refresh_reuse';

const roleChange = z
  .object({ from: z.string().optional(), to: z.string() })
  .or(z.string().transform((to) => ({ from: undefined, to })));

/** The role of a member before and after a change; a restore knows the one after it alone. */
export function roleChangeOf({ role }: Readonly<Record<string, unknown>>) {
  return roleChange.safeParse(role).data ?? { from: undefined, to: undefined };
}

/** The rule for an event of the audit log; undefined when there is no notice of it. */
export function ruleOf(event: SharedAuditEvent): NoticeRule | undefined {
  const rule = rules[event.action];
  return typeof rule === 'function' ? rule(event) : rule;
}

/** A notice of a person. */
export interface Notice {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly topic: Topic;
  readonly action: string;
  /** Undefined for what concerns the person alone. */
  readonly businessId: number | undefined;
  readonly subjectId: string;
  /** Of a person; undefined for any other subject, and when the account is gone. */
  readonly subjectName: string | undefined;
  /** Whether it is about its reader. */
  readonly isAboutReader: boolean;
  /** Whether the subject did it. */
  readonly isBySubject: boolean;
  readonly actorKind: 'operator' | 'person' | 'application' | 'system';
  /** Of a person; undefined for any other actor, and when the account is gone. */
  readonly actorName: string | undefined;
  readonly clientIp: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly isRead: boolean;
}
