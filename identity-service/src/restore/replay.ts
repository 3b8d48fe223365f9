import { toAppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import { type FreezeBusinessDeps, freezeBusiness } from '../businesses/freeze.ts';
import { type TakeDownLogoDeps, takeDownLogo } from '../businesses/logos/operations.ts';
import {
  type MemberKeyRulesDeps,
  updateMemberKeyRules,
} from '../credentials/api-keys/change-member-rules.ts';
import { freezeApiKey } from '../credentials/api-keys/freeze.ts';
import { type ListedRules, listedRules } from '../credentials/api-keys/member-rules.ts';
import {
  deleteApiKey,
  type RotateApiKeyDeps,
  rotateApiKey,
  setApiKeyLimit,
  updateApiKey,
} from '../credentials/api-keys/operations.ts';
import {
  deleteApplication,
  deleteClientSecret,
  type RotateClientSecretDeps,
  restoreSettings,
  rotateClientSecret,
  setConnectedUserLimit,
} from '../credentials/applications/operations.ts';
import type { SettingsChange } from '../credentials/applications/settings.ts';
import { suspendApplication } from '../credentials/applications/suspend.ts';
import { endGrant } from '../credentials/grants/end-grant.ts';
import { type SuspendGrantDeps, suspendGrant } from '../credentials/grants/suspend-grant.ts';
import {
  type ChangeKeyLifetimeDeps,
  changeKeyLifetime,
} from '../credentials/key-lifetimes/change-lifetime.ts';
import type { KeyLifetime } from '../credentials/key-lifetimes/lifetime.ts';
import type { Actor } from '../platform/actor.ts';
import { roleColumn } from '../platform/role.ts';
import { type AuditedDeps, switchEndpoint } from '../webhooks/audited.ts';
import { changedTo, changeRow, reason } from './change-row.ts';
import type { LoggedEvent, Replay, Step } from './revocation.ts';
import { replayEmail, type SetEmailDeps, unopened } from './set-email.ts';

/** Dependencies of the operations by which owners and operators end something. */
export interface ReplayDeps
  extends RotateApiKeyDeps,
    RotateClientSecretDeps,
    FreezeBusinessDeps,
    ChangeKeyLifetimeDeps,
    SuspendGrantDeps,
    TakeDownLogoDeps,
    SetEmailDeps,
    MemberKeyRulesDeps,
    Partial<Pick<AuditedDeps, 'client'>> {
  readonly banBusiness: (businessId: number, requestId: string) => Promise<void>;
}

type Apply = (deps: ReplayDeps, event: LoggedEvent, actor: Actor) => Promise<unknown>;

/** A logged role. One that this version does not know becomes the lowest. */
const loggedRole = roleColumn.catch('viewer');

const texts = z.array(z.string()).optional().catch(undefined);

const loggedSettings = z.object({
  scopes: texts,
  redirectUris: texts,
  ipWhitelist: texts,
  allowedOrigins: texts,
  repeatLostRefresh: z.boolean().optional().catch(false),
});

/** Logged rules. Rules that this version cannot read become the strictest. */
const loggedRules = z.object({
  secretKeys: z.boolean().default(true).catch(false),
  scopes: z.array(z.string()).optional().catch([]),
});

/** A logged rule for the end of keys; null for no limit. One that this version cannot read requires an end. */
const loggedLifetime = z.object({
  required: z.boolean().default(false).catch(true),
  days: z.int().nullable().optional().catch(undefined),
});

/** Settings of a logged update that can restrict access, with their values after the update. */
export function recordedSettings({ details }: Pick<LoggedEvent, 'details'>): SettingsChange {
  const to = Object.entries(details).map(([field, value]) => [field, changedTo(value)]);
  const recorded = Object.entries(loggedSettings.parse(Object.fromEntries(to)));
  return Object.fromEntries(recorded.filter(([, value]) => value !== undefined));
}

/** Rules without the permissions that an owner has removed since the backup. Permissions added since are lost. */
export function narrowedRules(rules: ListedRules, { details }: Pick<LoggedEvent, 'details'>): ListedRules {
  const { secretKeys, scopes } = loggedRules.parse({
    secretKeys: changedTo(details.memberSecretKeys),
    scopes: changedTo(details.memberScopes),
  });
  return {
    secretKeys: rules.secretKeys && secretKeys,
    scopes: rules.scopes.filter((scope) => scopes?.includes(scope) ?? true),
  };
}

/** The rule with the restrictions that an owner has added since the backup. Those removed since stay. */
export function stricterLifetime(
  before: KeyLifetime | undefined,
  { details }: Pick<LoggedEvent, 'details'>,
): KeyLifetime | undefined {
  const { required, days } = loggedLifetime.parse({
    required: changedTo(details.keyEndRequired),
    days: changedTo(details.keyMaxDays),
  });
  const known = [before?.maxDays, days].filter((each) => typeof each === 'number');
  if (known.length > 0) return { maxDays: Math.min(...known) };
  return before ?? (required ? { maxDays: undefined } : undefined);
}

const keyOf = ({ businessId, subjectId: apiKeyId }: LoggedEvent) => ({ businessId, apiKeyId });

const applicationOf = ({ businessId, subjectId: applicationId }: LoggedEvent) => ({
  businessId,
  applicationId,
});

/** Operations that repeat the effect of an event in the restored database. */
const replays: Readonly<Record<Replay, Apply>> = {
  delete_key: (deps, event, actor) => deleteApiKey(deps, { actor, ...keyOf(event) }),
  // The new string is not in the log, so the owner has to rotate again.
  end_key_string: (deps, event, actor) => rotateApiKey(deps, { actor, ...keyOf(event), isConfirmed: true }),
  set_key_access: async (deps, event, actor) => {
    const scopes = texts.parse(changedTo(event.details.scopes));
    const ipWhitelist = texts.parse(changedTo(event.details.ipWhitelist));
    if (scopes === undefined && ipWhitelist === undefined) return;
    const update = { settings: { scopes, ipWhitelist }, keyTypeGiven: false, expirationGiven: false };
    // What was a scope of the API then.
    const apiScopes = new Map(scopes?.map((scope) => [scope, '']));
    await updateApiKey({ ...deps, apiScopes }, { actor, ...keyOf(event), update });
  },
  freeze_key: (deps, event, actor) => freezeApiKey(deps, { actor, ...keyOf(event), reason }),
  set_key_limit: async (deps, event, actor) => {
    const limit = z.int().parse(changedTo(event.details.limit));
    await setApiKeyLimit(deps, { actor, ...keyOf(event), limit });
  },
  restrict_member_keys: async (deps, event, actor) => {
    const { businessId } = event;
    const before = listedRules(deps.apiScopes, await deps.keys.memberRules(businessId));
    const { secretKeys, scopes } = narrowedRules(before, event);
    const removedScopes = before.scopes.filter((scope) => !scopes.includes(scope));
    const change = { secretKeys, addedScopes: [], removedScopes };
    await updateMemberKeyRules(deps, { actor, businessId, change });
  },
  restrict_key_lifetime: (deps, event, actor) =>
    changeKeyLifetime(deps, {
      actor,
      businessId: event.businessId,
      change: (before) => stricterLifetime(before, event),
    }),
  delete_application: (deps, event, actor) => deleteApplication(deps, { actor, ...applicationOf(event) }),
  set_application: async (deps, event, actor) => {
    const recorded = recordedSettings(event);
    if (Object.keys(recorded).length === 0) return;
    await restoreSettings(deps, { actor, ...applicationOf(event), recorded });
  },
  set_application_limit: async (deps, event, actor) => {
    const limit = z.int().parse(changedTo(event.details.limit));
    await setConnectedUserLimit(deps, { actor, ...applicationOf(event), limit });
  },
  end_client_secrets: async (deps, event, actor) => {
    if ((texts.parse(event.details.ended) ?? []).length === 0) return;
    await rotateClientSecret(deps, { actor, ...applicationOf(event), keepOld: false });
  },
  end_client_secret: (deps, event, actor) => {
    const clientSecretId = z.string().parse(event.details.id);
    return deleteClientSecret(deps, { actor, ...applicationOf(event), clientSecretId });
  },
  suspend_application: async (deps, event, actor) => {
    // Of a ban: with the ban itself.
    const cause = z.enum(['operator', 'publisher', 'ban']).parse(event.details.cause);
    if (cause !== 'ban') await suspendApplication(deps, { actor, ...applicationOf(event), cause, reason });
  },
  end_grant: async (deps, { subjectId, details }, actor) => {
    const why = z.enum(['disconnected', 'revoked', 'code_reuse', 'refresh_reuse']).parse(details.reason);
    const ended = await deps.grants.inTransaction((transaction) =>
      endGrant(transaction, actor, subjectId, why),
    );
    if (ended !== undefined) await deps.propagate([ended]);
  },
  suspend_grant: (deps, { businessId, subjectId: grantId }, actor) =>
    suspendGrant(deps, { actor, businessId, grantId, reason }),
  revoke_access_token: (deps, event, actor) =>
    changeRow(deps, event, actor, (transaction) => transaction.revokeAccessToken(event.subjectId)),
  end_password: (deps, event, actor) =>
    changeRow(deps, event, actor, ({ endPassword }) => endPassword(event.subjectId, deps.unusableHash)),
  remove_passkey: (deps, event, actor) =>
    changeRow(deps, event, actor, ({ removePasskey }) =>
      removePasskey(event.subjectId, z.string().parse(event.details.id)),
    ),
  set_email: replayEmail,
  delete_person: (deps, event, actor) =>
    changeRow(deps, event, actor, ({ deletePerson }) => deletePerson(event.subjectId)),
  end_recovery_codes: (deps, event, actor) =>
    changeRow(deps, { ...event, action: 'person.recovery_codes_renewed' }, actor, ({ endRecoveryCodes }) =>
      endRecoveryCodes(event.subjectId),
    ),
  end_membership: (deps, event, actor) =>
    changeRow(deps, event, actor, ({ endMembership }) => endMembership(event.subjectId, event.businessId)),
  demote_member: (deps, event, actor) => {
    const { subjectId, businessId, details } = event;
    const role = loggedRole.parse(changedTo(details.role) ?? details.role);
    return changeRow(deps, event, actor, ({ demote }) => demote(subjectId, businessId, role));
  },
  freeze_business: (deps, { businessId, actorId }, actor) =>
    freezeBusiness(deps, { actor: { ...actor, id: actorId }, businessId, reason }),
  ban_business: (deps, { businessId }, { requestId }) => deps.banBusiness(businessId, requestId),
  require_second_factor: (deps, event, actor) =>
    changeRow(deps, event, actor, ({ requireSecondFactor }) =>
      requireSecondFactor(event.businessId, event.actorId),
    ),
  // Removes any logo in the backup, since the log does not say which one was meant. The owner can add another.
  take_down_logo: (deps, { businessId }, actor) => takeDownLogo(deps, { actor, businessId, reason }),
  disable_endpoint: async ({ client, audit }, { businessId, subjectId: endpointId, details }, actor) => {
    if (client === undefined) return;
    const owner = { businessId, applicationId: z.string().optional().parse(details.applicationId) ?? '' };
    await switchEndpoint({ client, audit }, { actor, reference: { owner, endpointId }, enabled: false });
  },
};

/** Refusals because there is nothing to end: the subject was created after the backup, or has ended by itself. */
const absent: ReadonlySet<string> = new Set(['not_found', 'failed_precondition']);

/** Result of a step. `absent`: its subject does not exist. `unopened`: no key decrypts its address. */
export type Outcome = 'replayed' | 'absent' | typeof unopened;

/** Repeats the effect of one event. @throws AppError */
export async function replay(
  deps: ReplayDeps,
  { replay: kind, event }: Step,
  requestId: string,
): Promise<Outcome> {
  const actor = { kind: 'system', id: 'restore', clientIp: undefined, requestId } as const;
  try {
    return (await replays[kind](deps, event, actor)) === unopened ? unopened : 'replayed';
  } catch (error) {
    if (absent.has(toAppError(error).kind)) return 'absent';
    throw error;
  }
}
