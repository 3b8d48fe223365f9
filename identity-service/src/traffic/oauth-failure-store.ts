import { createHash } from 'node:crypto';
import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertExposureNotices } from '../audit/notices/exposure-notices-store.ts';
import type { Prisma } from '../generated/client.ts';
import type { PrismaClient } from '../platform/storage.ts';
import { takePlaces, throttleKey } from '../platform/throttle.ts';
import { type OAuthEndpoint, type OAuthReason, oauthPaths } from './oauth-reason.ts';
import type { RequestRecord } from './request-log.ts';
import { insertRecords } from './request-log-store.ts';

/** A failed request to an OAuth endpoint. Holds no secret. */
export interface OAuthFailure {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly endpoint: OAuthEndpoint;
  readonly method: string;
  readonly status: number;
  /** `plain_http`: the gateway refused it, and identity-service has found its secret right. */
  readonly reason: OAuthReason | 'plain_http';
  /** Error and error_description of the response. */
  readonly publicError: string;
  readonly clientIp: string;
  /** Client ID of the request; undefined for any other text. */
  readonly clientId: string | undefined;
  /** Whether the client has authenticated. A client ID alone is public. */
  readonly isAuthenticated: boolean;
  /** Of the client secret that was sent; undefined for text that is none. */
  readonly secretLastFour: string | undefined;
}

/** A failure, and the number of similar ones that it represents, itself included. */
export interface CountedFailure extends OAuthFailure {
  readonly requests: number;
}

/** Limits for separate records per application, over all replicas. Authenticated clients have limits of their own. */
const bounds = {
  stranger: [
    { name: 'oauth-record:stranger:minute', limit: 20, windowSeconds: 60 },
    { name: 'oauth-record:stranger:hour', limit: 200, windowSeconds: 3_600 },
  ],
  client: [
    { name: 'oauth-record:client:minute', limit: 60, windowSeconds: 60 },
    { name: 'oauth-record:client:hour', limit: 600, windowSeconds: 3_600 },
  ],
} as const;

const applicationRow = z.object({ clientId: z.string(), id: z.string(), businessId: integer });

type Application = z.output<typeof applicationRow>;

/** Failures of one application that count against the same limits. */
interface Group {
  readonly application: Application;
  readonly kind: keyof typeof bounds;
  readonly failures: CountedFailure[];
}

export type OAuthFailureStore = ReturnType<typeof createOAuthFailureStore>;

/** Keeps failed OAuth requests among the request records of the application's owner. */
export function createOAuthFailureStore(database: Database, prisma: PrismaClient) {
  return {
    /** Adds failures. Past the limits of an application they are summed by reason and hour. */
    add: (failures: readonly CountedFailure[]): Promise<void> =>
      database.run(() => prisma.$transaction((client) => addFailures(client, failures))),
  };
}

async function addFailures(
  client: Prisma.TransactionClient,
  failures: readonly CountedFailure[],
): Promise<void> {
  const applications = await findApplications(client, failures);
  const unknown = failures.filter(({ clientId }) => !applications.has(clientId ?? ''));
  const groups = groupFailures(failures, applications);
  const places = await takePlaces(
    client,
    groups.flatMap(({ application, kind, failures: { length } }) =>
      bounds[kind].map((rule) => ({ ...rule, key: throttleKey(rule.name, application.id), wanted: length })),
    ),
  );
  const single: RequestRecord[] = unknown.map((failure) => toRecord(failure, undefined));
  const summed = new Map<string, RequestRecord>();
  for (const { application, kind, failures } of groups) {
    const keys = bounds[kind].map(({ name }) => throttleKey(name, application.id));
    const room = Math.min(...keys.map((key) => places.get(key) ?? 0));
    single.push(...failures.slice(0, room).map((failure) => toRecord(failure, application)));
    for (const failure of failures.slice(room)) addToSum(summed, toRecord(failure, application));
  }
  await insertRecords(client, single, 'keep');
  await insertRecords(client, [...summed.values()], 'sum');
  const exposed = [...single, ...summed.values()].filter(({ refusal }) => refusal === 'plain_http');
  if (exposed.length > 0) await insertExposureNotices(client, exposed);
}

async function findApplications(
  client: Prisma.TransactionClient,
  failures: readonly CountedFailure[],
): Promise<ReadonlyMap<string, Application>> {
  const clientIds = new Set(failures.flatMap(({ clientId }) => clientId ?? []));
  const rows = await readRows(
    applicationRow,
    client.$queryRaw`
      SELECT client_id AS "clientId", id, business_id AS "businessId" FROM applications
      WHERE client_id = ANY(${[...clientIds]})`,
  );
  return new Map(rows.map((row) => [row.clientId, row]));
}

function groupFailures(
  failures: readonly CountedFailure[],
  applications: ReadonlyMap<string, Application>,
): Group[] {
  const groups = new Map<string, Group>();
  for (const failure of failures) {
    const application = applications.get(failure.clientId ?? '');
    if (application === undefined) continue;
    const kind = failure.isAuthenticated ? 'client' : 'stranger';
    const key = `${application.id} ${kind}`;
    const group = groups.get(key) ?? { application, kind, failures: [] };
    group.failures.push(failure);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function toRecord(failure: CountedFailure, application: Application | undefined): RequestRecord {
  const { requestId, at, endpoint, method, status, reason, clientIp, secretLastFour, publicError, requests } =
    failure;
  const path = oauthPaths[endpoint];
  return {
    id: requestId,
    at,
    businessId: application?.businessId,
    method,
    path,
    route: path,
    status,
    refusal: application === undefined && failure.clientId !== undefined ? 'client_unknown' : reason,
    credentialType: application === undefined ? undefined : 'client',
    credentialId: application?.clientId,
    limitId: application?.id,
    clientIp,
    requiredScope: undefined,
    invalidField: undefined,
    // Without an application, no owner may see the failure.
    secretLastFour: application === undefined ? undefined : secretLastFour,
    publicError,
    requests,
  };
}

const hourMs = 3_600_000;

/** Adds to the sum of an application's failures with one reason in one hour. It has the latest address and time. */
function addToSum(sums: Map<string, RequestRecord>, record: RequestRecord): void {
  const { limitId, refusal, at, requests } = record;
  const id = idOfSum([limitId, refusal, Math.floor(at / hourMs)]);
  const sum = sums.get(id);
  sums.set(id, { ...record, id, requests: requests + (sum?.requests ?? 0) });
}

/** The same id on every replica, in the form of a request id. */
function idOfSum(parts: readonly unknown[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
