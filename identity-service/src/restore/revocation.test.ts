import { expect, test } from '@jest/globals';
import { knownActions } from '../audit/event-description.ts';
import { type LoggedEvent, loggedActions, otherActions, planReplay, toLogged } from './revocation.ts';

let ids = 0;
const event = (action: string, subjectId = 'id_1', details: Record<string, unknown> = {}): LoggedEvent => {
  ids++;
  return { id: ids, at: 1_000 + ids, businessId: 7, action, subjectId, actorId: 'per_1', details };
};

const replays = (...events: LoggedEvent[]) => planReplay(events).map(({ replay }) => replay);

test('every action of the audit log is listed as logged or as not logged', () => {
  const classified = [...loggedActions, ...otherActions];
  expect(classified.toSorted()).toEqual([...knownActions].toSorted());
});

test('a freeze that was lifted is not replayed, and a later one is', () => {
  const frozen = event('business.frozen');
  const lifted = event('business.unfrozen');
  expect(replays(frozen, lifted)).toEqual([]);
  expect(replays(frozen, lifted, event('business.frozen'))).toEqual(['freeze_business']);
  expect(replays(event('business.frozen'), event('business.unfrozen', 'id_2'))).toEqual(['freeze_business']);
});

test('a suspension is lifted only by the end of the same cause', () => {
  const suspended = event('application.suspended', 'apl_1', { cause: 'operator' });
  expect(replays(suspended, event('application.resumed', 'apl_1', { cause: 'publisher' }))).toHaveLength(1);
  expect(replays(suspended, event('application.resumed', 'apl_1', { cause: 'operator' }))).toEqual([]);
});

test('events are replayed in the order of their times', () => {
  const [first, second] = [event('api_key.updated'), event('api_key.deleted')];
  expect(replays(second, first)).toEqual(['set_key_access', 'delete_key']);
});

test('a login is logged when it used up a recovery code', () => {
  expect(toLogged(event('person.logged_in', 'per_1', { secondFactor: 'code' }))).toBeUndefined();
  expect(toLogged(event('person.logged_in', 'per_1', { secondFactor: 'recovery_code' }))).toBeDefined();
});

test('names and texts of people are not written to the log', () => {
  const details = {
    name: 'Tea',
    email: 'ada@people.test',
    reason: 'Bob stole it',
    scopes: { to: ['orders:read'] },
  };
  expect(toLogged(event('api_key.updated', 'key_1', details))?.details).toEqual({ scopes: details.scopes });
  const ended = toLogged(event('grant.ended', 'grt_1', { name: 'Tea', reason: 'refresh_reuse' }));
  expect(ended?.details).toEqual({ reason: 'refresh_reuse' });
});
