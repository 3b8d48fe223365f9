import type { businessAccountService } from '@platform/protos/identity';
import { AppError } from '@platform/service-kit/app-error.ts';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/validation.ts';
import { z } from 'zod';
import { toPropagationMessage } from '../api-keys/grpc.ts';
import type { RecordedEvent } from '../audit/event.ts';
import type { AuditReader } from '../audit/store.ts';
import { type TakeDownLogoDeps, takeDownLogo } from '../logos/operations.ts';
import { auditLogRead, type Deed } from '../operators/log.ts';
import { actorOf, businessId, optionalInstant } from '../platform/grpc-requests.ts';
import { checkOperatorReason } from '../platform/reason.ts';
import type { RequirementStore } from '../required-factor/store.ts';
import type { TeamStore } from '../team/store.ts';
import type { TeamMember } from '../team/team.ts';
import { type ByOperatorDeps, createForOperator, submitForOperator } from './by-operator.ts';
import { type FreezeBusinessDeps, freezeBusiness, liftFreeze } from './freeze.ts';
import { type DecideVerificationDeps, decideVerification } from './record.ts';

interface BusinessAccountDeps
  extends FreezeBusinessDeps,
    Omit<TakeDownLogoDeps, 'audit'>,
    Omit<ByOperatorDeps, 'audit' | 'record'>,
    Pick<DecideVerificationDeps, 'decide' | 'find' | 'checkImpartial'> {
  readonly team: Pick<TeamStore, 'members'>;
  readonly requirements: Pick<RequirementStore, 'requiredAt'>;
  readonly audit: Pick<AuditReader, 'page'>;
  readonly record: TakeDownLogoDeps['audit'];
  readonly recordDeed: (deed: Deed) => Promise<void>;
  /** @throws AppError unavailable when business-service does not respond */
  readonly businessExists: (businessId: number, requestId: string) => Promise<boolean>;
}

const businessRequest = z.object({ businessId });

const changeRequest = (requestId: string) =>
  z.object({ actor: actorOf(requestId), businessId, reason: z.string().default('') });

const createRequest = (requestId: string) =>
  z
    .object({ actor: actorOf(requestId), accountHolder: z.string(), username: z.string(), logo: z.string() })
    .transform(({ actor, ...business }) => ({ actor, business }));

const submitRequest = (requestId: string) =>
  z
    .object({
      actor: actorOf(requestId),
      businessId,
      legalName: z.string(),
      registrationNumber: z.string(),
      country: z.string(),
    })
    .transform(({ actor, businessId: id, ...facts }) => ({ actor, businessId: id, facts }));

const decideRequest = (requestId: string) =>
  z.object({ actor: actorOf(requestId), businessId, approved: z.boolean(), reason: z.string() });

/** A field that is not given. */
const empty = z.literal('').transform(() => undefined);

const auditRequest = (requestId: string) =>
  z.object({
    actor: actorOf(requestId),
    businessId,
    action: empty.or(
      z
        .string()
        .regex(
          /^[a-z_]+\.([a-z_]+|\*)$/,
          'must be an action, as api_key.created, or of a kind, as api_key.*',
        ),
    ),
    fromUnixMs: optionalInstant,
    limit: z.int().min(1).max(500),
    before: empty.or(z.string().regex(/^\d{1,18}$/, 'must be next_before of an earlier response')),
  });

const memberMessage = ({ joinedAt, lastSeenAt, ...member }: TeamMember) => ({
  ...member,
  joinedAtUnixMs: joinedAt,
  lastSeenAtUnixMs: lastSeenAt ?? 0,
});

const eventMessage = ({ id, at, actor, clientIp, requestId, action, subject, details }: RecordedEvent) => ({
  id,
  atUnixMs: at,
  actorKind: actor.kind,
  actorId: actor.id,
  actorName: actor.name ?? '',
  clientIp: clientIp ?? '',
  requestId,
  action,
  subjectId: subject.id,
  subjectName: subject.name ?? '',
  details: JSON.stringify(details),
});

/** Handlers of identity.v1.BusinessAccountService. */
export function businessAccountHandlers(
  deps: BusinessAccountDeps,
): UnaryHandlers<typeof businessAccountService> {
  const { freezes, team, audit, businessExists } = deps;
  const existing = async (request: unknown, requestId: string): Promise<number> => {
    const wanted = parseRequest(businessRequest, request).businessId;
    if (await businessExists(wanted, requestId)) return wanted;
    throw new AppError('not_found', 'business_not_found', `there is no business ${wanted}`);
  };
  return {
    ...recordHandlers(deps),
    ListMembers: async (request, { requestId }) => {
      const wanted = await existing(request, requestId);
      const [members, requiredAt] = await Promise.all([
        team.members(wanted),
        deps.requirements.requiredAt(wanted),
      ]);
      return { members: members.map(memberMessage), secondFactorRequiredAtUnixMs: requiredAt ?? 0 };
    },
    GetFreeze: async (request, { requestId }) => {
      const freeze = await freezes.find(await existing(request, requestId));
      if (freeze === undefined) return { freeze: null };
      const { frozenAt, personId, reason } = freeze;
      return { freeze: { frozenAtUnixMs: frozenAt, personId, reason } };
    },
    FreezeBusiness: async (request, { requestId }) => {
      await existing(request, requestId);
      const propagation = await freezeBusiness(deps, parseRequest(changeRequest(requestId), request));
      return { propagation: toPropagationMessage(propagation) };
    },
    LiftFreeze: async (request, { requestId }) => {
      await existing(request, requestId);
      await liftFreeze(deps, parseRequest(changeRequest(requestId), request));
      return {};
    },
    ListAuditEvents: async (request, { requestId }) => {
      await existing(request, requestId);
      const { fromUnixMs: from, ...wanted } = parseRequest(auditRequest(requestId), request);
      await deps.recordDeed(auditLogRead(wanted.actor, wanted.businessId, wanted.before));
      const filter = { action: wanted.action, from };
      const page = await audit.page(wanted.businessId, filter, wanted.limit, wanted.before);
      return { events: page.events.map(eventMessage), nextBefore: page.next ?? '' };
    },
  };
}

type RecordMethod = 'CreateBusiness' | 'SubmitVerification' | 'DecideVerification' | 'RemoveLogo';

/** Changes of the record, which business-service keeps. */
function recordHandlers(
  deps: BusinessAccountDeps,
): Pick<UnaryHandlers<typeof businessAccountService>, RecordMethod> {
  return {
    CreateBusiness: async (request, { requestId }) => ({
      businessId: await createForOperator(deps, parseRequest(createRequest(requestId), request)),
    }),
    SubmitVerification: async (request, { requestId }) => {
      await submitForOperator(deps, parseRequest(submitRequest(requestId), request));
      return {};
    },
    DecideVerification: async (request, { requestId }) => {
      const { reason, ...decision } = parseRequest(decideRequest(requestId), request);
      const { decide, find, audit: events, record, checkImpartial } = deps;
      const deciding = { decide, find, events, audit: record, checkImpartial };
      await decideVerification(deciding, { ...decision, reason: reason || undefined });
      return {};
    },
    RemoveLogo: async (request, { requestId }) => {
      const { reason, ...which } = parseRequest(changeRequest(requestId), request);
      const { logos, updateRecord, record } = deps;
      const checked = { ...which, reason: checkOperatorReason(reason) };
      await takeDownLogo({ logos, updateRecord, audit: record }, checked);
      return {};
    },
  };
}
