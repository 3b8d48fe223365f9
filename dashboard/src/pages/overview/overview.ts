import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import {
  timeRangeOf,
  type UsageHour,
  type UsageRange,
  type UsageUnit,
} from '../../components/usage-chart/usage.ts';
import type { UsageRangePicker } from '../../components/usage-chart/usage-panel.tsx';
import type { components, operations } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

/** A business at a glance. */
export type Overview = operations['getOverview']['responses']['200']['content']['application/json'];

export type Start = components['schemas']['Start'];

export type CallerUse = components['schemas']['CallerUse'];

export type LimitUse = components['schemas']['LimitUse'];

export type EndingKey = components['schemas']['EndingKey'];

/** Milliseconds between two looks while the business is just beginning: its first call should be seen to arrive. */
const pollIntervalMs = 5_000;

/** Looks, then the page waits to be turned to: a page left open must not keep its session alive. */
const maxPolls = 60;

/** @param from milliseconds since 1970, as is `to` */
export function useOverview(from: number, to: number): UseQueryResult<Overview> {
  const { id: businessId } = useBusiness();
  const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return useQuery({
    queryKey: businessKey(businessId, 'overview', query),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/overview', { params: { path: { businessId }, query }, signal }),
      ),
    // The last range stays until the next one is there.
    placeholderData: (previous) => previous,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.start.firstCall === false && dataUpdateCount < maxPolls ? pollIntervalMs : false,
  });
}

/** Requests of a span, and what became of them. */
export interface UsageTotals {
  readonly requests: number;
  /** Answers 400 to 499, without 429. */
  readonly refused: number;
  /** Answers with 429. */
  readonly limited: number;
  /** Answers of 500 and above. */
  readonly failed: number;
}

export function totalsOf(hours: readonly UsageHour[]): UsageTotals {
  const sum = (name: 'count2xx' | 'count4xx' | 'count429' | 'count5xx') =>
    hours.reduce((total, hour) => total + hour[name], 0);
  const [refused, limited, failed] = [sum('count4xx'), sum('count429'), sum('count5xx')];
  return { requests: sum('count2xx') + refused + limited + failed, refused, limited, failed };
}

/** A share in per cent, with one decimal where it is small: "0 %", "0.4 %", "12 %", never "0 %" for something. */
export function formatPercent(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0 %';
  const percent = (part / whole) * 100;
  if (percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** A step on the way to a business that uses the API. */
export interface StartStep {
  readonly title: string;
  readonly text: string;
  /** undefined while it cannot be known. */
  readonly isDone: boolean | undefined;
  /** What is pressed to do it. */
  readonly action: string;
  /** Within the business, or within the site for the documentation. */
  readonly href: string;
  readonly isDocs?: boolean;
}

/** The steps in the order in which one takes them. */
export function startSteps({ verified, keyMade, firstCall, connected }: Start): readonly StartStep[] {
  return [
    {
      title: 'Verify your business',
      text: 'Apps can be registered and connected once we know the company behind it.',
      isDone: verified ?? undefined,
      action: 'Verify',
      href: '/settings/business',
    },
    {
      title: 'Create an API key',
      text: 'It lets a program of yours use the API.',
      isDone: keyMade,
      action: 'Create a key',
      href: '/developers/keys/new',
    },
    {
      title: 'Make your first call',
      text: 'With curl and your key. It turns green a few seconds after it has worked.',
      isDone: firstCall,
      action: 'How to',
      href: '/docs/first-call',
      isDocs: true,
    },
    {
      title: 'Connect an app',
      text: 'Register one of your own, or let another one act for your business.',
      isDone: connected,
      action: 'Go to apps',
      href: '/developers/apps',
    },
  ];
}

const storageKey = (businessId: string) => `start-dismissed-${businessId}`;

/** Whether the first steps were put away for a business in this browser, and how to do that. */
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
    // Storage may be forbidden.
    return false;
  }
}

function rememberDismissed(businessId: string): void {
  try {
    localStorage.setItem(storageKey(businessId), 'yes');
  } catch {
    // As above: then they are put away until the page is loaded anew.
  }
}

/** The time that is looked at, in milliseconds since 1970, and what chooses it. */
export interface UsageSelection {
  readonly from: number;
  readonly to: number;
  readonly unit: UsageUnit;
  readonly choices: Omit<ComponentProps<typeof UsageRangePicker>, 'ranges'>;
}

/** The time that a chart shows, a day where nothing was chosen. */
export function useUsageSelection(): UsageSelection {
  const [range, onRange] = useState<UsageRange>('24h');
  const [unit, onUnit] = useState<UsageUnit>('day');
  const span = timeRangeOf(range, Date.now());
  return { ...span, unit: range === '24h' ? 'hour' : unit, choices: { range, onRange, unit, onUnit } };
}
