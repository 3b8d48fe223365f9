import { Counter, type Registry } from '@platform/service-kit/metrics.ts';
import type { Answer } from './authorization-result.ts';
import type { Ask, Authorizer } from './authorizer.ts';

/**
 * Where the answer to a request came from. `hit`: kept; `renewed`: kept, and asked for again in the background; `refused`:
 * known to be no credential, without a question; `miss`: identity-service was asked; `shared`: with the question of an
 * earlier request; `overdue`: kept, because identity-service does not answer; `stale`: Redis did not vouch for the kept one,
 * so that identity-service was asked; `recheck`: it was asked again for a request that is long under way.
 */
export type AnswerSource =
  | 'hit'
  | 'renewed'
  | 'refused'
  | 'miss'
  | 'shared'
  | 'overdue'
  | 'stale'
  | 'recheck';

/** An authorizer that counts; `rechecks` asks for requests that were let in long ago. */
export interface CountingAuthorizer extends Authorizer {
  readonly rechecks: Pick<Authorizer, 'askAfter'>;
}

/** Counts from outside: what an authorizer does shows in whether it asks, and in what it returns. */
export function countAnswers(
  ask: Ask,
  createAuthorizer: (ask: Ask) => Authorizer,
  registry: Registry,
): CountingAuthorizer {
  const registers = [registry];
  const sources = countersOf<AnswerSource>(
    new Counter({
      name: 'gateway_answers_total',
      help: 'Answers about credentials, by where they came from.',
      labelNames: ['source'],
      registers,
    }),
  );
  const outcomes = countersOf<Answer['outcome']>(
    new Counter({
      name: 'gateway_identity_answers_total',
      help: 'Answers of identity-service, by outcome; unavailable where there was none.',
      labelNames: ['outcome'],
      registers,
    }),
  );
  let asks = 0;
  const authorizer = createAuthorizer(async (question, askedAt) => {
    asks++;
    const answer = await ask(question, askedAt);
    outcomes(answer.outcome);
    return answer;
  });
  const askAs = (source: AnswerSource): Pick<Authorizer, 'askAfter'> => ({
    askAfter: (question, since) => {
      sources(source);
      return authorizer.askAfter(question, since);
    },
  });
  return {
    ...askAs('stale'),
    rechecks: askAs('recheck'),
    recall: (question, since) => {
      const before = asks;
      const answer = authorizer.recall(question, since);
      const asked = asks > before;
      if (answer instanceof Promise) {
        if (asked) sources('miss');
        else void answer.then((received) => sources(isOlder(received, since) ? 'overdue' : 'shared'));
      } else if (asked) sources('renewed');
      else sources(answer.outcome === 'invalid' ? 'refused' : 'hit');
      return answer;
    },
  };
}

/** Whether it was asked for before the request began: then nobody waited for it. */
function isOlder(answer: Answer, since: number): boolean {
  return 'askedAt' in answer && answer.askedAt < since;
}

/** Counts by label. Finding the child of a label set costs more than counting in it. */
function countersOf<Label extends string>(counter: Counter): (label: Label) => void {
  const children = new Map<Label, Counter.Internal>();
  return (label) => {
    let child = children.get(label);
    if (child === undefined) {
      child = counter.labels(label);
      children.set(label, child);
    }
    child.inc();
  };
}
