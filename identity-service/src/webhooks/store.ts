import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { defaultRules, type MemberKeyRules } from '../credentials/api-keys/member-rules.ts';
import { readRules, rulesOfRow } from '../credentials/api-keys/store.ts';
import type { Role } from '../platform/role.ts';
import type { PrismaClient } from '../platform/storage.ts';
import {
  type LiveGrant,
  makerKey,
  type Recipient,
  type RecipientFacts,
  type Subscriber,
} from './recipient.ts';

const subscriberColumns = {
  id: true,
  businessId: true,
  scopes: true,
  webhooksEnabled: true,
  webhookEvents: true,
  suspensions: { select: { cause: true } },
} as const;

const grantColumns = {
  applicationId: true,
  businessId: true,
  scopes: true,
  suspension: { select: { grantId: true } },
} as const;

/** An application with webhooks on that may receive events of a business, and the scopes by which it may read it. */
export interface Subscription extends Subscriber {
  /** None without a live Grant; undefined for the application's own business. */
  readonly scopes: readonly string[] | undefined;
}

export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>;

/** People who made endpoints of a business. */
export interface Makers {
  readonly rules: MemberKeyRules;
  /** Those whose account exists; role: undefined for one who has left. */
  readonly people: ReadonlyMap<string, { readonly name: string; readonly role: Role | undefined }>;
}

/** Reads who subscribes to what from PostgreSQL. */
export function createSubscriptionStore(database: Database, prisma: PrismaClient) {
  return {
    /** Applications with webhooks on, of a business, with a live Grant of it, or among `named`. */
    subscriptions: (businessId: number, named: readonly string[]): Promise<Subscription[]> =>
      database.run(async () => {
        const id = BigInt(businessId);
        const [own, grants, others] = await Promise.all([
          prisma.application.findMany({
            where: { businessId: id, webhooksEnabled: true },
            select: subscriberColumns,
          }),
          prisma.grant.findMany({
            where: {
              businessId: id,
              endedAt: null,
              application: { webhooksEnabled: true, NOT: { businessId: id } },
            },
            select: { scopes: true, application: { select: subscriberColumns } },
          }),
          prisma.application.findMany({
            where: {
              id: { in: [...named] },
              webhooksEnabled: true,
              NOT: { businessId: id },
              grants: { none: { businessId: id, endedAt: null } },
            },
            select: subscriberColumns,
          }),
        ]);
        return [
          ...own.map((application) => ({ ...subscriberOf(application), scopes: undefined })),
          ...grants.flatMap(({ application, scopes }) =>
            application === null
              ? []
              : [{ ...subscriberOf(application), scopes: readable(scopes, application) }],
          ),
          ...others.map((application) => ({ ...subscriberOf(application), scopes: [] })),
        ];
      }),
    /** The state by which these recipients are decided, except for bans. */
    facts: (recipients: readonly Recipient[]): Promise<Omit<RecipientFacts, 'banned' | 'audienceOf'>> =>
      database.run(() => readFacts(prisma, recipients)),
    /** People who made endpoints of a business, and its rules for developers. */
    makers: (businessId: number, personIds: readonly string[]): Promise<Makers> =>
      database.run(async () => {
        const [people, rules] = await Promise.all([
          prisma.person.findMany({
            where: { id: { in: [...personIds] } },
            select: {
              id: true,
              name: true,
              memberships: { where: { businessId: BigInt(businessId) }, select: { role: true } },
            },
          }),
          readRules(prisma, businessId),
        ]);
        return {
          rules: rules ?? defaultRules,
          people: new Map(
            people.map(({ id, name, memberships: [membership] }) => [id, { name, role: membership?.role }]),
          ),
        };
      }),
    /**
     * Those of these applications whose deletion is complete and recorded. A missing application without a record may still
     * be in a backup; an existing one with a record is only partly deleted.
     */
    deletedAmong: (applicationIds: readonly string[]): Promise<string[]> =>
      database.run(async () => {
        const deleted = prisma.$queryRaw`
          SELECT DISTINCT subject_id AS id FROM audit_events e
          WHERE action = 'application.deleted' AND subject_id = ANY(${[...applicationIds]}::text[])
            AND NOT EXISTS (SELECT FROM applications a WHERE a.id = e.subject_id)`;
        return (await readRows(z.object({ id: z.string() }), deleted)).map(({ id }) => id);
      }),
  };
}

async function readFacts(
  prisma: PrismaClient,
  recipients: readonly Recipient[],
): Promise<Omit<RecipientFacts, 'banned' | 'audienceOf'>> {
  const ids = [...new Set(recipients.map(({ applicationId }) => applicationId))].filter((id) => id !== '');
  const businessIds = [...new Set(recipients.map(({ businessId }) => businessId))];
  const [applications, grants] = await Promise.all([
    prisma.application.findMany({ where: { id: { in: ids } }, select: subscriberColumns }),
    prisma.grant.findMany({
      where: { applicationId: { in: ids }, businessId: { in: businessIds.map(BigInt) }, endedAt: null },
      select: grantColumns,
    }),
  ]);
  const subscribers = applications.map(subscriberOf);
  const byId = new Map(applications.map((application) => [application.id, application]));
  const owners = subscribers.map(({ businessId }) => businessId);
  const bySubscriber = new Map(subscribers.map((subscriber) => [subscriber.id, subscriber]));
  return {
    subscribers: bySubscriber,
    makers: await readMakers(prisma, recipients, bySubscriber),
    grants: grants.flatMap(({ applicationId, businessId, scopes, suspension }): LiveGrant[] => {
      const application = byId.get(applicationId ?? '');
      if (application === undefined) return [];
      const { id } = application;
      const isSuspended = suspension !== null;
      return [
        {
          applicationId: id,
          businessId: Number(businessId),
          scopes: readable(scopes, application),
          isSuspended,
        },
      ];
    }),
    frozen: await readFrozen(prisma, [...new Set([...businessIds, ...owners])]),
  };
}

/** Rights of the people who made the endpoints of recipients. */
async function readMakers(
  prisma: PrismaClient,
  recipients: readonly Recipient[],
  subscribers: ReadonlyMap<string, Subscriber>,
): Promise<RecipientFacts['makers']> {
  const made = recipients.flatMap(({ madeBy, applicationId, businessId }) => {
    const ownerId = applicationId === '' ? businessId : subscribers.get(applicationId)?.businessId;
    return madeBy === '' || ownerId === undefined ? [] : [{ personId: madeBy, businessId: ownerId }];
  });
  if (made.length === 0) return new Map();
  const businessId = { in: [...new Set(made.map((one) => BigInt(one.businessId)))] };
  const personId = { in: [...new Set(made.map((one) => one.personId))] };
  const [memberships, rules] = await Promise.all([
    prisma.membership.findMany({ where: { businessId, personId } }),
    prisma.memberKeyRules.findMany({ where: { businessId } }),
  ]);
  const roles = new Map(memberships.map((one) => [makerKey(one.personId, Number(one.businessId)), one.role]));
  const rulesById = new Map(rules.map((row) => [Number(row.businessId), rulesOfRow(row)]));
  return new Map(
    made.map((one) => {
      const key = makerKey(one.personId, one.businessId);
      return [key, { role: roles.get(key), rules: rulesById.get(one.businessId) ?? defaultRules }];
    }),
  );
}

async function readFrozen(
  prisma: PrismaClient,
  businessIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await prisma.businessFreeze.findMany({
    where: { businessId: { in: businessIds.map(BigInt) } },
    select: { businessId: true },
  });
  return new Set(rows.map(({ businessId }) => Number(businessId)));
}

/** Scopes of a Grant that the application may still request. As for its tokens, removed scopes no longer count. */
function readable(granted: readonly string[], application: { readonly scopes: readonly string[] }): string[] {
  return granted.filter((scope) => application.scopes.includes(scope));
}

interface SubscriberRow extends Omit<Subscriber, 'businessId' | 'isSuspended'> {
  readonly businessId: bigint;
  readonly suspensions: readonly unknown[];
}

function subscriberOf({
  id,
  businessId,
  webhooksEnabled,
  webhookEvents,
  suspensions,
}: SubscriberRow): Subscriber {
  const isSuspended = suspensions.length > 0;
  return { id, businessId: Number(businessId), webhooksEnabled, webhookEvents, isSuspended };
}
