import { expect, test } from '@jest/globals';
import { promisesPage } from './page.ts';
import { createResults, type Violation } from './results.ts';

const violation: Violation = {
  promise: 'revocation',
  replica: 'a',
  requestId: 'req_1',
  what: 'admitted a key that had ended',
};

/** The sentence at the top of the page, of so many whole rounds and violations. */
function verdict(rounds: number, violations: number): string | undefined {
  const results = createResults(10, Date.now);
  for (let round = 0; round < rounds; round++) results.endRound(0);
  for (let count = 0; count < violations; count++) results.add({ measured: [], violations: [violation] });
  const page = promisesPage(results.report());
  expect(page.includes(violation.requestId)).toBe(violations > 0);
  return /<p class="verdict">(.*)<\/p>/.exec(page)?.[1];
}

test.each([
  [0, 0, 'No round has measured every promise yet.'],
  [2, 0, 'Every promise was kept.'],
  [0, 1, '1 request broke a promise.'],
  [2, 101, '101 requests broke a promise.'],
])('the page reports %i complete rounds and %i violations', (rounds, violations, expected) => {
  expect(verdict(rounds, violations)).toBe(expected);
});
