import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { AuthorizationResult } from './authorization-result.ts';
import type { Authorizer, FetchAuthorization } from './authorizer.ts';

/**
 * Source of the result that decided a request:
 * - `hit`: cached
 * - `renewed`: cached, and refreshed in the background
 * - `refused`: rejected without a call, as no known credential
 * - `miss`: fetched
 * - `shared`: fetched by an earlier request
 * - `overdue`: cached past its hard TTL, because identity-service does not respond
 * - `stale`: fetched, because Redis did not confirm the cached one
 * - `recheck`: cached or fetched, for a response in progress
 */
type ResultSource = 'hit' | 'renewed' | 'refused' | 'miss' | 'shared' | 'overdue' | 'stale' | 'recheck';

/** An authorizer that counts its results. */
export interface InstrumentedAuthorizer extends Authorizer {
  /** For responses in progress: counted as `recheck`. */
  readonly rechecks: Authorizer;
}

/** Wraps an authorizer: the source of a result shows in whether it was fetched and whether it is a promise. */
export function instrumentAuthorizer(
  fetchAuthorization: FetchAuthorization,
  createAuthorizer: (fetchAuthorization: FetchAuthorization) => Authorizer,
  registry: Registry,
): InstrumentedAuthorizer {
  const countSource = createPlainCounter<ResultSource>(registry, {
    name: 'gateway_answers_total',
    help: 'Authorization results, by source.',
    label: 'source',
  });
  const countOutcome = createPlainCounter<AuthorizationResult['outcome']>(registry, {
    name: 'gateway_identity_answers_total',
    help: 'Authorize calls to identity-service, by outcome; unavailable without a response.',
    label: 'outcome',
    atStart: ['unavailable'],
  });
  let fetches = 0;
  const authorizer = createAuthorizer(async (query, requestedAt) => {
    fetches++;
    const result = await fetchAuthorization(query, requestedAt);
    countOutcome(result.outcome);
    return result;
  });
  const fetchAs = (source: ResultSource): Pick<Authorizer, 'fetchAfter'> => ({
    fetchAfter: (query, since) => {
      countSource(source);
      return authorizer.fetchAfter(query, since);
    },
  });
  return {
    ...fetchAs('stale'),
    rechecks: {
      ...fetchAs('recheck'),
      getCached: (query, since) => {
        countSource('recheck');
        return authorizer.getCached(query, since);
      },
    },
    getCached: (query, since) => {
      const before = fetches;
      const result = authorizer.getCached(query, since);
      const hasFetched = fetches > before;
      if (result instanceof Promise) {
        const fetched = hasFetched ? 'miss' : 'shared';
        void result.then((received) => countSource(predates(received, since) ? 'overdue' : fetched));
      } else if (hasFetched) countSource('renewed');
      else countSource(result.outcome === 'invalid' ? 'refused' : 'hit');
      return result;
    },
  };
}

/** Whether the result was requested before the request began, so that it came from the cache. */
function predates(result: AuthorizationResult, since: number): boolean {
  return 'requestedAt' in result && result.requestedAt < since;
}

interface PlainCounter<Value extends string> {
  readonly name: string;
  readonly help: string;
  /** The one label. */
  readonly label: string;
  /** Label values that are exported as 0 from the start, so that alerts see the first increment. */
  readonly atStart?: readonly Value[];
}

/** A counter in plain numbers: prom-client checks the label at each increment. */
function createPlainCounter<Value extends string>(
  registry: Registry,
  { name, help, label, atStart = [] }: PlainCounter<Value>,
): (value: Value) => void {
  const counts = new Map<Value, number>(atStart.map((value) => [value, 0]));
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, count] of counts) this.inc({ [label]: value }, count);
    },
  });
  return (value) => void counts.set(value, (counts.get(value) ?? 0) + 1);
}
