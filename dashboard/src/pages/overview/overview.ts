import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { formatNumber } from '../../components/format.ts';
import type { UsageHour } from '../../components/usage-chart/usage.ts';
import type { components, operations } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

export type Overview = operations['getOverview']['responses']['200']['content']['application/json'];

export type Start = components['schemas']['Start'];

export type CallerUse = components['schemas']['CallerUse'];

export type LimitUse = components['schemas']['LimitUse'];

export type EndingKey = components['schemas']['EndingKey'];

export type Revocations = Overview['revocations'];

/** Milliseconds between polls before the first request, so that it appears without a reload. */
const pollIntervalMs = 5_000;

/** @param from start in ms since 1970, like `to` */
export function useOverview(from: number, to: number): UseQueryResult<Overview> {
  const { id: businessId } = useBusiness();
  const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return useQuery({
    queryKey: businessKey(businessId, 'overview', query),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/overview', { params: { path: { businessId }, query }, signal }),
      ),
    // Shows the previous range until the new one is loaded.
    placeholderData: (previous) => previous,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data } }) => (data?.start.firstCall === false ? pollIntervalMs : false),
  });
}

/** Requests by status class. */
export interface UsageTotals {
  readonly requests: number;
  /** 4xx, without 429. */
  readonly refused: number;
  /** 429. */
  readonly limited: number;
  /** 5xx. */
  readonly failed: number;
}

export function totalsOf(hours: readonly UsageHour[]): UsageTotals {
  const sum = (name: 'count2xx' | 'count4xx' | 'count429' | 'count5xx') =>
    hours.reduce((total, hour) => total + hour[name], 0);
  const [refused, limited, failed] = [sum('count4xx'), sum('count429'), sum('count5xx')];
  return { requests: sum('count2xx') + refused + limited + failed, refused, limited, failed };
}

/** A percentage, with a decimal below 10: "0%", "0.4%", "12%". Never "0%" for a part above zero. */
export function formatPercent(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0%';
  const percent = (part / whole) * 100;
  if (percent < 0.1) return '< 0.1%';
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
}

/** Absent while an identity-service of the release before still runs. */
const noRevocations: Revocations = { count: 0, pending: 0, slowestMs: null };

/** "Your 12 revocations of the last 30 days: slowest 31 ms."; undefined without one. */
export function revocationsText({
  count,
  pending,
  slowestMs,
}: Revocations = noRevocations): string | undefined {
  if (count === 0) return undefined;
  const whose = count === 1 ? 'Your revocation' : `Your ${formatNumber(count)} revocations`;
  const slowest = slowestMs === null ? '' : `: ${count === 1 ? '' : 'slowest '}${formatNumber(slowestMs)} ms`;
  const late = `Gateways did not confirm ${formatNumber(pending)} in time, and apply such a change within 30 seconds.`;
  return `${whose} of the last 30 days${slowest}.${pending === 0 ? '' : ` ${late}`}`;
}

/** A step of the onboarding checklist. */
export interface StartStep {
  readonly title: string;
  readonly text: string;
  /** Undefined while unknown. */
  readonly isDone: boolean | undefined;
  /** Label of the link. */
  readonly action: string;
  /** Path within the business, or within the site for documentation. */
  readonly href: string;
  readonly isDocs?: boolean;
}

/** The onboarding steps in order. */
export function startSteps(
  { verified, keyMade, firstCall, connected }: Start,
  isInReview: boolean,
): readonly StartStep[] {
  return [
    {
      title: 'Verify your business',
      text: isInReview
        ? 'In review. There is nothing to do until then.'
        : 'Required to register and connect apps.',
      isDone: verified ?? undefined,
      action: isInReview ? 'View' : 'Verify',
      href: '/settings/business',
    },
    {
      title: 'Create an API key',
      text: 'Your programs use it to call the API.',
      isDone: keyMade,
      action: 'Create a key',
      href: '/settings/developers/keys/new',
    },
    {
      title: 'Make your first request',
      text: 'With curl and your key. This step completes a few seconds after the request succeeds.',
      isDone: firstCall,
      action: 'How to',
      href: '/docs/first-call',
      isDocs: true,
    },
    {
      title: 'Connect an app',
      text: 'Register your own app, or connect another one to your business.',
      isDone: connected,
      action: 'Go to apps',
      href: '/settings/developers/apps',
    },
  ];
}

const storageKey = (businessId: string) => `start-dismissed-${businessId}`;

/** Whether the checklist was hidden in this browser, and a function that hides it. */
export function useDismissedStart(businessId: string): readonly [boolean, () => void] {
  const [isDismissed, setDismissed] = useState(() => wasDismissed(businessId));
  const dismiss = () => {
    rememberDismissed(businessId);
    setDismissed(true);
  };
  return [isDismissed, dismiss];
}

function wasDismissed(businessId: string): boolean {
  try {
    return localStorage.getItem(storageKey(businessId)) !== null;
  } catch {
    // Storage may be blocked.
    return false;
  }
}

function rememberDismissed(businessId: string): void {
  try {
    localStorage.setItem(storageKey(businessId), 'yes');
  } catch {
    // As above: the checklist is then hidden until the next reload.
  }
}
