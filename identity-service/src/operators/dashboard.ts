import { HttpError } from '@platform/service-kit/http/errors.ts';
import { containsSecret } from '@platform/service-kit/secrets/checked-token.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import { detailTexts } from '../audit/dashboard.ts';
import { describeEvent } from '../audit/event-description.ts';
import { apiKeysRead, auditLogRead, readOperatorEvent } from '../audit/operator-log/log.ts';
import type { LogFilter, OperatorLogStore } from '../audit/operator-log/store.ts';
import { type AuditReader, auditPageSize } from '../audit/store.ts';
import type { FreezeStore } from '../businesses/freeze-store.ts';
import { type BusinessLookup, type BusinessRecord, findBusinesses } from '../clients/business.ts';
import { listApiKeys } from '../credentials/api-keys/operations.ts';
import type { ApiKeyStore } from '../credentials/api-keys/store.ts';
import type { ApplicationStore } from '../credentials/applications/store.ts';
import type { RequirementStore } from '../people/required-factor/store.ts';
import type { TeamStore } from '../people/team/store.ts';
import type { Actor } from '../platform/actor.ts';
import { pageSize } from '../platform/pagination.ts';
import { rules, type Throttle } from '../platform/throttle.ts';
import type { RequestLog } from '../traffic/request-log.ts';
import type { UsageReader } from '../traffic/usage-report-store.ts';
import type { Gate } from '../web/dashboard-api/api.ts';
import { checkAttempts, InvalidInput } from '../web/dashboard-api/input.ts';
import { type Operation, personOperation } from '../web/dashboard-api/operation.ts';
import * as specs from './dashboard-schema.ts';
import type { FourEyesStore } from './four-eyes-store.ts';
import type { ReviewedRequest } from './limit-requests/limit-request.ts';
import type { LimitRequestStore } from './limit-requests/store.ts';
import { describeOperatorEvent } from './log-words.ts';
import { acceptOperatorInvitation, checkOperator, type InviteOperatorDeps } from './operator.ts';
import type { BanProposal, ProposalStore } from './proposal-store.ts';
import type { OperatorSearch } from './search-store.ts';
import type { OperatorStore } from './store.ts';

/** Admits operators whose session began with a second factor lately, as the database has it for each request. */
export function operatorGate(operators: OperatorStore): Gate {
  return async (spec, { personId, res }) => {
    const { clientIp, requestId, session } = res.locals;
    // A person who accepts an invitation is not an operator yet, so the operation itself checks the session.
    if (spec.id !== specs.acceptInvitation.id) checkOperator(await operators.session(personId, session.id));
    const actor: Actor = { kind: 'operator', id: personId, clientIp, requestId, via: 'console' };
    return { membership: undefined, actor };
  };
}

/** The business in a path. @throws HttpError 404 for a text that is no identifier of one */
export function businessIdOf(param: (name: 'businessId') => string): number {
  const id = param('businessId');
  if (/^[1-9]\d{0,8}$/.test(id)) return Number(id);
  throw noBusiness();
}

export function noBusiness(): HttpError {
  return new HttpError(404, 'There is no such business.');
}

export interface OperatorReadDeps extends Pick<InviteOperatorDeps, 'operators' | 'hasher'> {
  readonly operatorLog: OperatorLogStore;
  readonly operatorSearch: OperatorSearch;
  readonly requests: Pick<RequestLog, 'findAny'>;
  readonly throttle: Throttle;
  readonly businesses: Pick<BusinessLookup, 'find' | 'findLookalikes' | 'search'>;
  readonly limitRequests: LimitRequestStore;
  readonly proposals: ProposalStore;
  readonly fourEyes: Pick<FourEyesStore, 'read'>;
  readonly freezes: FreezeStore;
  readonly requirements: Pick<RequirementStore, 'requiredAt'>;
  readonly team: Pick<TeamStore, 'members'>;
  readonly keys: ApiKeyStore;
  readonly applications: ApplicationStore;
  readonly usage: Pick<UsageReader, 'perHour'>;
  readonly auditLog: Pick<AuditReader, 'page'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Operations that change nothing but the log of operators; and the acceptance of an invitation. */
export function operatorReadOperations(deps: OperatorReadDeps): Operation[] {
  const { operators, businesses, limitRequests } = deps;
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
        businesses.search({ verification: 'pending', text: '', limit: 100 }, requestId),
        limitRequests.pending(),
        deps.proposals.waiting(),
      ]);
      const ids = [...pending, ...proposals].map(({ businessId }) => businessId);
      const nameOf = await businessNames(deps, ids, requestId);
      return {
        verifications: waiting.businesses.map(toBusiness),
        hasMore: waiting.hasMore,
        limitRequests: pending.map((request) => toLimitRequest(request, nameOf(request.businessId))),
        proposals: proposals.map((one) => toProposal(one, nameOf(one.businessId), personId)),
      };
    }),
    personOperation(specs.search, async ({ actor, query: { text }, requestId }) => {
      checkNoSecret('text', text);
      await checkAttempts(deps.throttle, [[rules.operatorSearch, actor.id]]);
      const results = await searchBusinesses(deps, shortened.exec(text)?.[1] ?? text, requestId);
      const details = { text, results: results.length };
      await deps.operatorLog.record({ actor, action: 'console.searched', subjectId: '', details });
      return { results };
    }),
    personOperation(specs.getBusiness, async ({ actor, param }) => {
      const businessId = businessIdOf(param);
      await checkAttempts(deps.throttle, [[rules.operatorView, actor.id]]);
      return viewBusiness(deps, businessId, actor);
    }),
    personOperation(specs.listApiKeys, async ({ actor, param, query: { search } }) => {
      const businessId = businessIdOf(param);
      checkNoSecret('search', search);
      await checkAttempts(deps.throttle, [[rules.operatorView, actor.id]]);
      await deps.operatorLog.record(apiKeysRead(actor, businessId, search));
      const { apiKeys, complete } = await listApiKeys(deps, businessId, { text: search });
      return { apiKeys: [...apiKeys], complete };
    }),
    personOperation(specs.listAuditEvents, async ({ actor, param, query: { cursor } }) => {
      const businessId = businessIdOf(param);
      await checkAttempts(deps.throttle, [[rules.operatorView, actor.id]]);
      await deps.operatorLog.record(auditLogRead(actor, businessId, cursor));
      return readAuditLog(deps, businessId, cursor);
    }),
    personOperation(specs.listLog, ({ query, requestId }) => readLog(deps, query, requestId)),
  ];
}

/** Refuses a search text that contains a secret, because the log of operators records it. @throws InvalidInput */
function checkNoSecret(field: string, text: string): void {
  if (!containsSecret(text)) return;
  throw new InvalidInput({ [field]: 'contains a secret: search for its last four characters' });
}

/** Names of businesses by id; null while business-service is unavailable. */
async function businessNames(
  { businesses }: Pick<OperatorReadDeps, 'businesses'>,
  ids: readonly number[],
  requestId: string,
): Promise<(id: number) => string | null> {
  const found = await findBusinesses(businesses.find, ids, requestId);
  return (id) => found.get(id)?.accountHolder ?? null;
}

/** A secret as pages show it, such as `sk_…1a2B`: its last four characters are looked for. */
const shortened = /^[a-z]{2}_(?:…|\.{3})([0-9A-Za-z]{4})$/;

/** Most businesses in one result. */
const maxResults = 50;

async function searchBusinesses(
  { operatorSearch, requests, businesses }: OperatorReadDeps,
  text: string,
  requestId: string,
) {
  const [named, matches] = await Promise.all([
    businesses.search({ text, limit: maxResults }, requestId),
    requests.findAny(text).then((request) => operatorSearch(text, request)),
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
  if (record === undefined) throw noBusiness();
  const names = [record.accountHolder, ...(record.facts ? [record.facts.legalName] : [])];
  const decided = record.verification === 'verified' ? 'verified' : 'verification_rejected';
  const { isOn: fourEyes } = await deps.fourEyes.read();
  const proposal = await deps.proposals.waitingOf(businessId);
  const [lookalikes, freeze, secondFactorRequiredAt, people, applications, asked, use, decision, ban] =
    await Promise.all([
      deps.businesses.findLookalikes(businessId, names, requestId),
      deps.freezes.find(businessId),
      deps.requirements.requiredAt(businessId),
      deps.team.members(businessId),
      deps.applications.list(businessId),
      deps.limitRequests.ofBusiness(businessId),
      readUse(deps, businessId),
      lastReason(deps, businessId, `business.${decided}`),
      lastReason(deps, businessId, 'business.banned'),
    ]);
  await deps.operatorLog.record({
    actor,
    action: 'console.viewed',
    businessId,
    subjectId: String(businessId),
    details: {},
  });
  const { decidedAt, isBanned, accountHolder } = record;
  return {
    business: {
      ...toBusiness(record),
      decidedAt,
      decisionReason: decidedAt === undefined ? null : (decision?.reason ?? null),
      ban: isBanned && ban !== undefined ? { bannedAt: ban.at, reason: ban.reason } : null,
    },
    lookalikes: lookalikes.map(toBusiness),
    freeze: freeze ?? null,
    fourEyes,
    proposal: proposal ? toProposal(proposal, accountHolder, actor.id) : null,
    secondFactorRequiredAt,
    people,
    applications: applications.map(({ suspensions, ...application }) => ({
      ...application,
      suspensions: [...suspensions],
    })),
    limitRequests: asked
      .filter(({ status }) => status === 'pending')
      .map((request) => toLimitRequest(request, accountHolder)),
    use,
  };
}

const hourMs = 3_600_000;

/** Requests of the hours that the owners' overview shows first. */
async function readUse({ usage, now }: Pick<OperatorReadDeps, 'usage' | 'now'>, businessId: number) {
  const to = (Math.floor(now() / hourMs) + 1) * hourMs;
  const points = await usage.perHour(businessId, { from: to - 25 * hourMs, to });
  const sum = (name: 'count2xx' | 'count4xx' | 'count429' | 'count5xx') =>
    points.reduce((total, point) => total + point[name], 0);
  const [refused, limited, failed] = [sum('count4xx'), sum('count429'), sum('count5xx')];
  return { requests: sum('count2xx') + refused + limited + failed, refused, limited, failed };
}

/** The last event of an action, and the reason that was given for it; undefined without one. */
async function lastReason(
  { auditLog }: Pick<OperatorReadDeps, 'auditLog'>,
  businessId: number,
  action: string,
) {
  const [event] = (await auditLog.page(businessId, { action }, 1, undefined)).events;
  return event && { at: event.at, reason: reasonOf(event.details) };
}

function reasonOf({ reason }: Readonly<Record<string, unknown>>): string | null {
  return typeof reason === 'string' ? reason || null : null;
}

function toBusiness({ accountHolder, facts, logo, ...business }: BusinessRecord) {
  return { ...business, name: accountHolder, facts: facts ?? null, logo: logo || null };
}

function toProposal(
  { proposedBy, proposedByEmail, ...proposal }: BanProposal,
  businessName: string | null,
  personId: string,
) {
  return { ...proposal, businessName, proposedBy: proposedByEmail ?? null, isYours: proposedBy === personId };
}

function toLimitRequest(
  { subjectName, currentLimit, email, ...request }: ReviewedRequest,
  businessName: string | null,
) {
  return {
    ...request,
    businessName,
    subjectName: subjectName ?? null,
    currentLimit: currentLimit ?? null,
    requestedBy: email ?? null,
  };
}

async function readAuditLog(
  { auditLog, operators }: Pick<OperatorReadDeps, 'auditLog' | 'operators'>,
  businessId: number,
  cursor: string | undefined,
) {
  const { events, next } = await auditLog.page(businessId, {}, auditPageSize, cursor);
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
        reason: reasonOf(details),
      };
    }),
    nextCursor: next ?? null,
  };
}

async function readLog(
  deps: Pick<OperatorReadDeps, 'operatorLog' | 'operators' | 'businesses'>,
  { cursor, ...filter }: LogFilter & { readonly cursor?: string | undefined },
  requestId: string,
) {
  const before = cursor === undefined ? undefined : Number(cursor);
  const found = await deps.operatorLog.page(filter, before, pageSize + 1);
  const listed = found
    .slice(0, pageSize)
    .map((entry) => ({ ...entry, event: readOperatorEvent(entry.content) }));
  const [emails, nameOf] = await Promise.all([
    deps.operators.emails(listed.map(({ event }) => event.operator)),
    businessNames(
      deps,
      listed.flatMap(({ event }) => event.businessId || []),
      requestId,
    ),
  ]);
  return {
    entries: listed.map(({ position, at, event }) => ({
      row: position,
      at,
      words: describeOperatorEvent(event),
      action: event.action,
      operator: emails.get(event.operator) ?? event.operator,
      via: event.via,
      clientIp: event.clientIp ?? null,
      // 0 for a person without a business, as in the audit event.
      businessId: event.businessId || null,
      businessName: nameOf(event.businessId ?? 0),
      subjectId: event.subjectId,
      facts: detailTexts(beside(event)),
      details: JSON.stringify({ ...event.details, ...event.operatorDetails }),
    })),
    nextCursor: found.length > pageSize ? String(listed.at(-1)?.position) : null,
  };
}

/** Details of an event that its description leaves out. */
function beside({ details, operatorDetails }: ReturnType<typeof readOperatorEvent>) {
  const { name: _, text: __, email: ___, cursor: ____, ...rest } = details;
  const isGiven = ([, value]: [string, unknown]) => value !== null && String(value) !== '';
  return Object.fromEntries(Object.entries({ ...rest, ...operatorDetails }).filter(isGiven));
}
