import type { Refusal as LoggedRefusal } from '@platform/protos/vocabulary';
import { countRequests, createRollingHour } from '@platform/service-kit/values/rolling-hour.ts';
import { hasPassed } from '../../traffic/explanation.ts';
import type { RequestDemand } from '../../traffic/request-log.ts';
import { type Checked, findRefusal, type Refusal } from '../authorization/authorize.ts';
import type { Credential } from '../authorization/credential.ts';

/** Settings that decide about the requests of one API key or Grant. */
export type AccessSettings = Checked & Pick<Credential, 'businessId' | 'limitId' | 'limit'>;

/** A change of settings, as it would be after it; undefined where it ends the access. */
export type Change = (today: AccessSettings) => AccessSettings | undefined;

/** Requests that a change would have refused. */
export interface Effect {
  readonly demand: RequestDemand;
  /** As the log would have named it. */
  readonly reason: LoggedRefusal;
  readonly requests: number;
}

export interface Forecast {
  /** Requests that were admitted when they were sent, and are by today's settings. */
  readonly requests: number;
  /** Those of them that the change refuses. */
  readonly effects: readonly Effect[];
}

/** Names of refusals in the log. A string without a credential is unknown. */
const logged = {
  expired: 'expired',
  frozen: 'business_frozen',
  key_frozen: 'key_frozen',
  application_suspended: 'application_suspended',
  connection_suspended: 'connection_suspended',
  ip_denied: 'ip_not_allowed',
  scope_denied: 'insufficient_scope',
} as const satisfies Record<Refusal, LoggedRefusal>;

/**
 * What a change would have refused: decides about every demand as the edge does, by today's settings and by the changed
 * ones. Demands of other limit ids are ignored. Reads times only where the limit changes.
 */
export function forecast(
  demands: readonly RequestDemand[],
  settings: readonly AccessSettings[],
  change: Change,
): Forecast {
  const byLimitId = Map.groupBy(demands, ({ limitId }) => limitId);
  const parts = settings.map((today) =>
    forecastOne(byLimitId.get(today.limitId) ?? [], today, change(today)),
  );
  return {
    requests: parts.reduce((sum, { requests }) => sum + requests, 0),
    effects: parts.flatMap(({ effects }) => effects),
  };
}

function forecastOne(
  demands: readonly RequestDemand[],
  today: AccessSettings,
  changed: AccessSettings | undefined,
): Forecast {
  const limited = changed === undefined ? undefined : countLimited(demands, today.limit, changed.limit);
  let requests = 0;
  const effects = demands.flatMap((demand, index): Effect[] => {
    if (!hasPassed('scope', demand.refusal) || findRefusal(today, demand) !== undefined) return [];
    const considered = demand.requests - (limited?.today[index] ?? 0);
    requests += considered;
    return effectsOn(demand, changed, { considered, limited: limited?.changed[index] ?? 0 });
  });
  return { requests, effects };
}

/** In the order of the edge: an expired credential is refused before the limit counts, others after that. */
function effectsOn(
  demand: RequestDemand,
  changed: AccessSettings | undefined,
  { considered, limited }: { readonly considered: number; readonly limited: number },
): Effect[] {
  const effect = (reason: LoggedRefusal, requests: number): Effect[] =>
    requests === 0 ? [] : [{ demand, reason, requests }];
  if (changed === undefined) return effect('unknown', considered);
  const refusal = findRefusal(changed, demand);
  if (refusal === 'expired') return effect(logged[refusal], considered);
  return [
    ...effect('rate_limited', limited),
    ...(refusal === undefined ? [] : effect(logged[refusal], considered - limited)),
  ];
}

/** Requests per demand, by its index. */
interface Limited {
  /** That today's limit refuses. */
  readonly today: Uint32Array;
  /** That the changed limit refuses, and today's does not. */
  readonly changed: Uint32Array;
}

/** Replays the requests that reached the limit, those too that a later check refused; undefined where it stays as it is. */
function countLimited(
  demands: readonly RequestDemand[],
  today: number,
  changed: number,
): Limited | undefined {
  if (today === changed) return undefined;
  const limited = { today: new Uint32Array(demands.length), changed: new Uint32Array(demands.length) };
  const [hourToday, hourChanged] = [createRollingHour(0), createRollingHour(0)];
  for (const { index, at } of inOrder(demands)) {
    const isAdmitted = countRequests(hourToday, at, today, 1).admitted === 1;
    const staysAdmitted = countRequests(hourChanged, at, changed, 1).admitted === 1;
    if (!isAdmitted) limited.today[index] = (limited.today[index] ?? 0) + 1;
    else if (!staysAdmitted) limited.changed[index] = (limited.changed[index] ?? 0) + 1;
  }
  return limited;
}

const none = new Float64Array();

/** The route that gateways do not count. */
const uncountedRoute = '/v2/rate-limit';

const reachedLimit = ({ refusal, route }: RequestDemand) =>
  hasPassed('expired', refusal) && route !== uncountedRoute;

/** Requests of all demands that reached the limit, in the order in which they began. */
function* inOrder(
  demands: readonly RequestDemand[],
): Generator<{ readonly index: number; readonly at: number }> {
  const reached = demands.map((demand) => (reachedLimit(demand) ? demand.startedAt : none));
  const first = reached.reduce((least, times) => times.reduce((a, b) => Math.min(a, b), least), Infinity);
  const length = reached.reduce((sum, times) => sum + times.length, 0);
  // Time and index in one number, because numbers are sorted many times faster than objects.
  const keys = new Float64Array(length);
  let next = 0;
  for (const [index, times] of reached.entries()) {
    for (const at of times) keys[next++] = (at - first) * demands.length + index;
  }
  for (const key of keys.sort()) {
    yield { index: key % demands.length, at: first + Math.floor(key / demands.length) };
  }
}
