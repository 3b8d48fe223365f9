import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { FindBusiness } from '../../clients/business.ts';
import type { ApiKey } from '../../credentials/api-keys/api-key.ts';
import type { RevocationSummary, RevocationTimeStore } from '../../platform/revocation-times.ts';
import type {
  Client,
  FindClients,
  RollingHourUse,
  Span,
  UsageHour,
  UsagePoint,
} from '../../traffic/usage.ts';
import type { UsageReader } from '../../traffic/usage-report-store.ts';
import type { HourlyLimit, OverviewReader, StartFacts } from './store.ts';

/** Requests of one client by outcome. */
interface ClientUse {
  readonly client: Client;
  readonly requests: number;
  /** Responses with status 400 to 499. */
  readonly refused: number;
  /** Responses with status 500 and above. */
  readonly failed: number;
}

/** Clients with the most requests, busiest first. Several Grants of one application are one client. */
export function busiestClients(
  points: readonly UsagePoint[],
  clients: readonly Client[],
  max: number,
): ClientUse[] {
  const byLimitId = new Map(clients.map((client) => [client.limitId, client]));
  const uses = new Map<string, ClientUse>();
  for (const point of points) {
    const client = byLimitId.get(point.limitId);
    if (client !== undefined) uses.set(client.id, add(uses.get(client.id), client, point));
  }
  return [...uses.values()]
    .sort((a, b) => b.requests - a.requests || (a.client.id < b.client.id ? -1 : 1))
    .slice(0, max);
}

function add(before: ClientUse | undefined, client: Client, point: UsagePoint): ClientUse {
  const { count2xx, count4xx, count429, count5xx } = point;
  return {
    client: before?.client.exists ? before.client : client,
    requests: (before?.requests ?? 0) + count2xx + count4xx + count429 + count5xx,
    refused: (before?.refused ?? 0) + count4xx + count429,
    failed: (before?.failed ?? 0) + count5xx,
  };
}

/** Expiring keys that are listed at most. */
export const maxEndingKeys = 20;

/** Used share from which a limit is listed. */
const nearShare = 0.8;

/** Use of a client's limit in the rolling hour. */
interface LimitUse {
  readonly client: Client;
  readonly limit: number;
  readonly used: number;
  readonly left: number;
}

/** Clients that have used most of their limit, closest to the limit first. */
export function clientsNearLimit(
  limits: readonly HourlyLimit[],
  hours: readonly RollingHourUse[],
  clients: readonly Client[],
): LimitUse[] {
  const used = new Map(hours.map((hour) => [hour.limitId, hour.used]));
  const byLimitId = new Map(clients.map((client) => [client.limitId, client]));
  return limits
    .flatMap(({ limitId, limit }): LimitUse[] => {
      const [client, now] = [byLimitId.get(limitId), used.get(limitId) ?? 0];
      if (client === undefined || now < nearShare * limit) return [];
      return [{ client, limit, used: now, left: Math.max(0, limit - now) }];
    })
    .sort((a, b) => b.used / b.limit - a.used / a.limit);
}

/** Sums the hours of all clients. @param points oldest first */
export function mergeHours(points: readonly UsagePoint[]): UsageHour[] {
  const hours = new Map<number, UsageHour>();
  for (const { start, count2xx, count4xx, count429, count5xx } of points) {
    const before = hours.get(start);
    hours.set(start, {
      start,
      count2xx: (before?.count2xx ?? 0) + count2xx,
      count4xx: (before?.count4xx ?? 0) + count4xx,
      count429: (before?.count429 ?? 0) + count429,
      count5xx: (before?.count5xx ?? 0) + count5xx,
    });
  }
  return [...hours.values()];
}

/** Clients that the overview lists. */
const maxClients = 6;

export interface ReadOverviewDeps {
  readonly overview: OverviewReader;
  readonly usage: Pick<UsageReader, 'perHour' | 'rollingHours'>;
  readonly findClients: FindClients;
  readonly findBusiness: FindBusiness;
  readonly revocationTimes: Pick<RevocationTimeStore, 'summary'>;
}

interface ReadOverviewInput {
  readonly businessId: number;
  readonly span: Span;
  readonly requestId: string;
}

/** Overview of a business. */
interface Overview {
  /** Oldest first; hours without a request are left out. */
  readonly hours: readonly UsageHour[];
  readonly busiest: readonly ClientUse[];
  readonly limits: readonly LimitUse[];
  /** Contains one more than is listed when there are more. */
  readonly endingKeys: readonly ApiKey[];
  /** `verified` is undefined while business-service is unavailable. */
  readonly start: StartFacts & { readonly verified: boolean | undefined };
  readonly revocations: RevocationSummary;
}

/** Reads the overview of a business: its traffic in a span, near limits, expiring keys, first steps. */
export async function readOverview(
  deps: ReadOverviewDeps,
  { businessId, span, requestId }: ReadOverviewInput,
): Promise<Overview> {
  const { overview, usage } = deps;
  const [points, limits, endingKeys, facts, verified, revocations] = await Promise.all([
    usage.perHour(businessId, span),
    overview.usedLimits(businessId, nearShare),
    overview.endingKeys(businessId, maxEndingKeys + 1),
    overview.startFacts(businessId),
    isVerified(deps, businessId, requestId),
    deps.revocationTimes.summary(businessId),
  ]);
  const limitIds = limits.map(({ limitId }) => limitId);
  const named = new Set([...limitIds, ...points.map(({ limitId }) => limitId)].filter((id) => id !== ''));
  const [clients, rollingHours] = await Promise.all([
    deps.findClients(businessId, [...named]),
    usage.rollingHours(businessId, limitIds),
  ]);
  return {
    hours: mergeHours(points),
    busiest: busiestClients(points, clients, maxClients),
    limits: clientsNearLimit(limits, rollingHours, clients),
    endingKeys,
    start: { ...facts, verified },
    revocations,
  };
}

async function isVerified(
  { findBusiness }: ReadOverviewDeps,
  businessId: number,
  requestId: string,
): Promise<boolean | undefined> {
  try {
    return (await findBusiness(businessId, requestId))?.verification === 'verified';
  } catch (error) {
    if (toAppError(error).kind === 'unavailable') return undefined;
    throw error;
  }
}
