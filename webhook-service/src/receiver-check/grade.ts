import type { AttemptResult } from '../attempts/result.ts';

/** Requests of a check, in the order in which they are sent. */
export const probeKinds = [
  'good',
  'tampered',
  'stale',
  'duplicated',
  'later',
  'earlier',
  'slow_body',
] as const;

export type ProbeKind = (typeof probeKinds)[number];

/** A request that was sent, and how the receiver responded. */
export interface ProbeResult extends Pick<AttemptResult, 'outcome' | 'status' | 'durationMs'> {
  readonly kind: ProbeKind;
}

/** A mistake of a receiver. */
export type Finding =
  /** No response to a correct request. */
  | 'unreachable'
  /** Responded to with 5xx. */
  | 'good_failed'
  | 'good_refused'
  | 'tampered_accepted'
  /** Neither 2xx nor 4xx, possibly because of an exception. */
  | 'tampered_failed'
  | 'stale_accepted'
  | 'stale_failed'
  | 'duplicated_refused'
  | 'reordered_refused'
  | 'slow_body_refused'
  /** Slower than `slowMs`. */
  | 'slow_response';

const mustRefuse: ReadonlySet<ProbeKind> = new Set(['tampered', 'stale']);

/** Whether the receiver responded as it must. */
export function hasPassed({ kind, outcome, status }: ProbeResult): boolean {
  return mustRefuse.has(kind) ? isRefusal(status) : outcome === 'delivered';
}

/** The findings of a check, each once, in the order of its requests. @param slowMs longest time of a response that is not slow */
export function gradeReceiver(results: readonly ProbeResult[], slowMs: number): Finding[] {
  const findings = results.filter((result) => !hasPassed(result)).map(findingOf);
  const slow = results.some(
    ({ kind, outcome, durationMs }) => kind !== 'slow_body' && outcome === 'delivered' && durationMs > slowMs,
  );
  return [...new Set<Finding>(slow ? [...findings, 'slow_response'] : findings)];
}

function findingOf({ kind, outcome, status }: ProbeResult): Finding {
  switch (kind) {
    case 'good':
      if (status === undefined) return 'unreachable';
      return status >= 500 ? 'good_failed' : 'good_refused';
    case 'tampered':
    case 'stale':
      return outcome === 'delivered' ? `${kind}_accepted` : `${kind}_failed`;
    case 'later':
    case 'earlier':
      return 'reordered_refused';
    case 'duplicated':
    case 'slow_body':
      return `${kind}_refused`;
  }
}

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}
