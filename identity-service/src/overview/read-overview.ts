import { toAppError } from '@platform/service-kit/app-error.ts';
import type { ApiKey } from '../api-keys/api-key.ts';
import type { FindBusiness } from '../applications/business-profile.ts';
import type { FindCallers } from '../usage/caller.ts';
import type { Span, UsageHour, UsageReader } from '../usage/usage-reader.ts';
import { busiestCallers, type CallerUse } from './busiest-callers.ts';
import { closeLimits, closeShare, type LimitUse } from './close-limits.ts';
import { hoursTogether } from './hours-together.ts';
import type { OverviewReader, StartFacts } from './overview-reader.ts';

/** Callers that the overview names. */
const maxCallers = 6;

export interface ReadOverviewDeps {
  readonly overview: OverviewReader;
  readonly usage: Pick<UsageReader, 'perHour' | 'rollingHours'>;
  readonly findCallers: FindCallers;
  readonly findBusiness: FindBusiness;
}

export interface ReadOverviewInput {
  readonly businessId: number;
  readonly span: Span;
  readonly requestId: string;
}

/** A business at a glance. */
export interface Overview {
  /** Oldest first; hours without a request are left out. */
  readonly hours: readonly UsageHour[];
  readonly busiest: readonly CallerUse[];
  readonly limits: readonly LimitUse[];
  readonly endingKeys: readonly ApiKey[];
  /** `verified` is undefined while business-service does not answer. */
  readonly start: StartFacts & { readonly verified: boolean | undefined };
}

/** Looks at a business: its traffic in a span, and what its people should know now. */
export async function readOverview(
  deps: ReadOverviewDeps,
  { businessId, span, requestId }: ReadOverviewInput,
): Promise<Overview> {
  const { overview, usage } = deps;
  const [points, limits, endingKeys, facts, verified] = await Promise.all([
    usage.perHour(businessId, span),
    overview.usedLimits(businessId, closeShare),
    overview.endingKeys(businessId),
    overview.startFacts(businessId),
    isVerified(deps, businessId, requestId),
  ]);
  const limitIds = limits.map(({ limitId }) => limitId);
  const named = new Set([...limitIds, ...points.map(({ limitId }) => limitId)].filter((id) => id !== ''));
  const [callers, rollingHours] = await Promise.all([
    deps.findCallers(businessId, [...named]),
    usage.rollingHours(businessId, limitIds),
  ]);
  return {
    hours: hoursTogether(points),
    busiest: busiestCallers(points, callers, maxCallers),
    limits: closeLimits(limits, rollingHours, callers),
    endingKeys,
    start: { ...facts, verified },
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
