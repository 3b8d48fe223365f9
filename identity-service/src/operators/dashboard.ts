import { addressBlock } from '@platform/service-kit/addresses.ts';
import { containsSecret } from '@platform/service-kit/checked-token.ts';
import { HttpError } from '@platform/service-kit/http/errors.ts';
import type { ApiKeyStore } from '../api-keys/store.ts';
import type { ApplicationStore } from '../applications/store.ts';
import { describeEvent } from '../audit/event-description.ts';
import { type AuditReader, auditPageSize } from '../audit/store.ts';
import type { FreezeStore } from '../businesses/freeze-store.ts';
import type { ReviewedRequest } from '../limit-requests/limit-request.ts';
import type { LimitRequestStore } from '../limit-requests/store.ts';
import type { Actor } from '../platform/actor.ts';
import type { BusinessLookup, BusinessRecord } from '../platform/businesses.ts';
import { pageSize } from '../platform/pagination.ts';
import { rules, type Throttle } from '../platform/throttle.ts';
import type { RequirementStore } from '../required-factor/store.ts';
import type { TeamStore } from '../team/store.ts';
import type { UsageReader } from '../traffic/usage-report-store.ts';
import type { Gate } from '../web/dashboard-api/api.ts';
import { checkAttempts, InvalidInput } from '../web/dashboard-api/input.ts';
import { type Operation, personOperation } from '../web/dashboard-api/operation.ts';
import * as specs from './dashboard-schema.ts';
import { auditLogRead, readDeed } from './log.ts';
import type { OperatorLogStore } from './log-store.ts';
import { acceptOperatorInvitation, checkOperator, type InviteOperatorDeps } from './operator.ts';
import type { ProposalStore } from './proposal-store.ts';
import type { OperatorSearch } from './search-store.ts';
import type { OperatorStore } from './store.ts';

/** Admits operators whose session began with a second factor lately, as the database has it for each request. */
export function operatorGate(operators: OperatorStore): Gate {
  return async (spec, { personId, res }) => {
    const { clientIp, requestId, session } = res.locals;
    // Who accepts an invitation is no operator yet: the operation checks the session.
    if (spec.id !== specs.acceptInvitation.id) checkOperator(await operators.session(personId, session.id));
    const actor: Actor = { kind: 'operator', id: personId, clientIp, requestId, via: 'console' };
    return { membership: undefined, actor };
  };
}

/** The business in a path. @throws HttpError 404 for a text that is no identifier of one */
export function businessIdOf(param: (name: 'businessId') => string): number {
  const id = param('businessId');
  if (/^[1-9]\d{0,8}$/.test(id)) return Number(id);
  throw new HttpError(404, 'There is no such business.');
}

export interface OperatorReadDeps extends Pick<InviteOperatorDeps, 'operators' | 'hasher'> {
  readonly log: OperatorLogStore;
  readonly search: OperatorSearch;
  readonly throttle: Throttle;
  readonly businesses: Pick<BusinessLookup, 'find' | 'findLookalikes' | 'search'>;
  readonly requests: LimitRequestStore;
  readonly proposals: ProposalStore;
  readonly freezes: FreezeStore;
  readonly requirements: Pick<RequirementStore, 'requiredAt'>;
  readonly team: Pick<TeamStore, 'members'>;
  readonly keys: ApiKeyStore;
  readonly applications: ApplicationStore;
  readonly usage: Pick<UsageReader, 'recentCalls'>;
  readonly audit: Pick<AuditReader, 'page'>;
}

/** Operations that change nothing but the log of operators; and the acceptance of an invitation. */
export function operatorReadOperations(deps: OperatorReadDeps): Operation[] {
  const { operators, businesses, requests } = deps;
  return [
    personOperation(specs.getSession, async ({ personId }) => {
      const email = (await operators.emails([personId])).get(personId) ?? '';
      return { email };
    }),
    personOperation(specs.acceptInvitation, async ({ actor, personId, body, res }) => {
      await checkAttempts(deps.throttle, [[rules.linkAddress, addressBlock(res.locals.clientIp)]]);
      const session = await operators.session(personId, res.locals.session.id);
      await acceptOperatorInvitation(deps, { actor, personId, session, token: body.token });
    }),
    personOperation(specs.getQueue, async ({ personId, requestId }) => {
      const [waiting, pending, proposals] = await Promise.all([
        businesses.search({ pending: true, text: '', limit: 100 }, requestId),
        requests.pending(),
        deps.proposals.waiting(),
      ]);
      return {
        verifications: waiting.businesses.map(toBusiness),
        hasMore: waiting.hasMore,
        limitRequests: pending.map(toLimitRequest),
        proposals: proposals.map(({ proposedBy, proposedByEmail, ...proposal }) => ({
          ...proposal,
          proposedBy: proposedByEmail ?? null,
          isYours: proposedBy === personId,
        })),
      };
    }),
    personOperation(specs.search, async ({ actor, query: { text }, requestId }) => {
      if (containsSecret(text)) {
        throw new InvalidInput({ text: 'contains a secret: search for its last four characters' });
      }
      await checkAttempts(deps.throttle, [[rules.operatorSearch, actor.id]]);
      const results = await searchBusinesses(deps, shortened.exec(text)?.[1] ?? text, requestId);
      const details = { text, results: results.length };
      await deps.log.record({ actor, deed: 'console.searched', subjectId: '', details });
      return { results };
    }),
    personOperation(specs.getBusiness, async ({ actor, param }) => {
      const businessId = businessIdOf(param);
      await checkAttempts(deps.throttle, [[rules.operatorView, actor.id]]);
      return viewBusiness(deps, businessId, actor);
    }),
    personOperation(specs.listAuditEvents, async ({ actor, param, query: { cursor } }) => {
      const businessId = businessIdOf(param);
      await checkAttempts(deps.throttle, [[rules.operatorView, actor.id]]);
      await deps.log.record(auditLogRead(actor, businessId, cursor));
      return readAuditLog(deps, businessId, cursor);
    }),
    personOperation(specs.listLog, ({ query: { cursor } }) => readLog(deps, cursor)),
  ];
}

/** A secret as pages show it, such as `sk_…1a2B`: its last four characters are looked for. */
const shortened = /^[a-z]{2}_(?:…|\.{3})([0-9A-Za-z]{4})$/;

/** Most businesses in one result. */
const maxResults = 50;

async function searchBusinesses(
  { search, businesses }: Pick<OperatorReadDeps, 'search' | 'businesses'>,
  text: string,
  requestId: string,
) {
  const [named, matches] = await Promise.all([
    businesses.search({ text, limit: maxResults }, requestId),
    search(text),
  ]);
  const found = Map.groupBy(matches, ({ businessId }) => businessId);
  const known = new Map(named.businesses.map((business) => [business.id, business]));
  const others = [...found.keys()].filter((id) => !known.has(id)).slice(0, maxResults - known.size);
  const records = await Promise.all(others.map((id) => businesses.find(id, requestId)));
  return [...records.filter((record) => record !== undefined), ...known.values()].map((business) => ({
    business: toBusiness(business),
    found: (found.get(business.id) ?? []).map((match) => match.found),
  }));
}

async function viewBusiness(deps: OperatorReadDeps, businessId: number, actor: Actor) {
  const { requestId } = actor;
  const record = await deps.businesses.find(businessId, requestId);
  if (record === undefined) throw new HttpError(404, 'There is no such business.');
  const names = [record.accountHolder, ...(record.facts ? [record.facts.legalName] : [])];
  const [lookalikes, freeze, secondFactorRequiredAt, people, apiKeys, applications, asked, use] =
    await Promise.all([
      deps.businesses.findLookalikes(businessId, names, requestId),
      deps.freezes.find(businessId),
      deps.requirements.requiredAt(businessId),
      deps.team.members(businessId),
      deps.keys.list(businessId, 1_000),
      deps.applications.list(businessId),
      deps.requests.ofBusiness(businessId),
      deps.usage.recentCalls(businessId),
    ]);
  await deps.log.record({
    actor,
    deed: 'console.viewed',
    businessId,
    subjectId: String(businessId),
    details: {},
  });
  const { rejectionReason, decidedAt } = record;
  return {
    business: { ...toBusiness(record), rejectionReason: rejectionReason || null, decidedAt },
    lookalikes: lookalikes.map(toBusiness),
    freeze: freeze ?? null,
    secondFactorRequiredAt,
    people,
    apiKeys,
    applications: applications.map(({ suspensions, ...application }) => ({
      ...application,
      suspensions: [...suspensions],
    })),
    limitRequests: asked.filter(({ status }) => status === 'pending').map(toLimitRequest),
    use,
  };
}

function toBusiness({ accountHolder, facts, logo, ...business }: BusinessRecord) {
  return { ...business, name: accountHolder, facts: facts ?? null, logo: logo || null };
}

function toLimitRequest({ subjectName, currentLimit, email, ...request }: ReviewedRequest) {
  return {
    ...request,
    subjectName: subjectName ?? null,
    currentLimit: currentLimit ?? null,
    requestedBy: email ?? null,
  };
}

async function readAuditLog(
  { audit, operators }: Pick<OperatorReadDeps, 'audit' | 'operators'>,
  businessId: number,
  cursor: string | undefined,
) {
  const { events, next } = await audit.page(businessId, {}, auditPageSize, cursor);
  const ids = events.map(({ actor }) => (actor.kind === 'operator' ? actor.id : ''));
  const emails = await operators.emails(ids);
  return {
    events: events.map((event) => {
      const { id, at, action, actor, clientIp, details } = event;
      const operator = actor.kind === 'operator' ? (emails.get(actor.id) ?? actor.id) : null;
      return {
        id,
        at,
        action,
        words: describeEvent(event),
        operator,
        actor: actor.email ?? actor.name ?? actor.kind,
        clientIp: clientIp ?? null,
        reason: typeof details.reason === 'string' ? details.reason || null : null,
      };
    }),
    nextCursor: next ?? null,
  };
}

async function readLog(
  { log, operators }: Pick<OperatorReadDeps, 'log' | 'operators'>,
  cursor: string | undefined,
) {
  const found = await log.page(cursor === undefined ? undefined : Number(cursor), pageSize + 1);
  const listed = found.slice(0, pageSize).map((entry) => ({ ...entry, deed: readDeed(entry.content) }));
  const emails = await operators.emails(listed.map(({ deed }) => deed.operator));
  return {
    entries: listed.map(({ position, at, deed }) => ({
      row: position,
      at,
      words: deed.deed,
      operator: emails.get(deed.operator) ?? deed.operator,
      via: deed.via,
      clientIp: deed.clientIp ?? null,
      // 0 for a person without a business, as in the audit event.
      businessId: deed.businessId || null,
      subjectId: deed.subjectId,
      details: JSON.stringify({ ...deed.details, ...deed.operatorDetails }),
    })),
    nextCursor: found.length > pageSize ? String(listed.at(-1)?.position) : null,
  };
}
