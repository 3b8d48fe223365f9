import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { pluralize } from '../../components/format.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { expirationTime, type Lifetime, lifetimes, toDateInput } from './form-values.ts';

/** Rule of a business for how long new keys may last. */
export type KeyLifetime = components['schemas']['KeyLifetime'];

const dayMs = 86_400_000;

/** The rule of the business. */
export function useKeyLifetime(): UseQueryResult<KeyLifetime> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'key-lifetime'),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/businesses/{businessId}/key-lifetime', { params: { path: { businessId } }, signal })),
  });
}

/** Number of active keys that a rule would refuse if they were new; fetched for a complete rule only. */
export function useUnmetKeys({ rule, maxDays }: KeyLifetime, enabled: boolean): UseQueryResult<number> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'api-keys', 'unmet', rule, maxDays),
    queryFn: async ({ signal }) => {
      const query = { rule, ...(maxDays !== null && { maxDays }) };
      const params = { path: { businessId }, query };
      return (await unwrap(api.GET('/businesses/{businessId}/key-lifetime/unmet', { params, signal }))).keys;
    },
    enabled,
  });
}

/** Whether a rule permits a lifetime; of a chosen date the latest is `lastDay`. */
export function permits({ rule, maxDays }: KeyLifetime, lifetime: Lifetime): boolean {
  if (lifetime === 'never') return rule === 'off';
  return lifetime === 'date' || maxDays === null || Number(lifetime) <= maxDays;
}

/** The last day on which a key that is created now may end; undefined without a limit. */
export function lastDay({ maxDays }: KeyLifetime, now: number): string | undefined {
  // The key ends with the day, so the day on which the limit is reached would be too late.
  return maxDays === null ? undefined : toDateInput(now + (maxDays - 1) * dayMs);
}

/** The given lifetime, or the longest that the rule permits instead of one that it refuses. */
export function permitted<Chosen extends { readonly lifetime: Lifetime; readonly date: string }>(
  rule: KeyLifetime,
  chosen: Chosen,
  now: number,
): Chosen {
  const last = lastDay(rule, now);
  const isTooLate = last !== undefined && chosen.lifetime === 'date' && chosen.date > last;
  if (permits(rule, chosen.lifetime) && !isTooLate) return chosen;
  const presets = lifetimes.filter(({ value }) => Number(value) <= (rule.maxDays ?? 90));
  const longest = presets.at(-1)?.value;
  return longest === undefined
    ? { ...chosen, lifetime: 'date', date: last ?? '' }
    : { ...chosen, lifetime: longest, date: '' };
}

/** Error of a chosen date; null for a permitted one, and where no date is chosen. */
export function dateError(
  rule: KeyLifetime,
  { lifetime, date }: { readonly lifetime: Lifetime; readonly date: string },
  now: number,
): string | null {
  if (expirationTime(lifetime, date, now) === undefined) return 'Select today or a later day.';
  const last = lastDay(rule, now);
  if (lifetime !== 'date' || last === undefined || date <= last) return null;
  return `Select ${last} or an earlier day: ${describeRule(rule)}`;
}

/** The rule as a sentence; undefined without one. */
export function describeRule({ rule, maxDays }: KeyLifetime): string | undefined {
  if (rule === 'off') return undefined;
  return maxDays === null
    ? 'Your business requires an expiration for every new key.'
    : `Your business allows new keys to last at most ${pluralize(maxDays, 'day')}.`;
}
