import { describe, expect, test } from '@jest/globals';
import { breachOf, canonicalJson, checkLog, contentOf, hashAfter, type Link } from './log.ts';

const actor = {
  kind: 'operator',
  id: 'per_1',
  clientIp: '192.0.2.1',
  requestId: 'r',
  via: 'console',
} as const;

const content = (text: string) =>
  contentOf({ actor, action: 'console.searched', subjectId: '', details: { text } });

/** A chain over some texts, as the trigger writes it. */
function chainOf(...texts: readonly string[]): Link[] {
  let hash = '';
  return texts.map((text, index) => {
    const event = { at: 1_000 + index, content: content(text) };
    hash = hashAfter(hash, index + 1, event);
    return { position: index + 1, eventId: String(index + 10), hash, event, auditEvent: undefined };
  });
}

const logOf = (
  links: readonly Link[],
  unlinked?: string,
  unexplained?: { readonly id: string; readonly businessId: number },
) => ({
  links: async (after: number, limit: number) =>
    links.filter(({ position }) => position > after).slice(0, limit),
  findUnlinked: async () => unlinked,
  findUnexplained: async () => unexplained,
});

const start = { count: 0, hash: '' };

test('equal values have the same canonical text, regardless of the order of their fields', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'ü\ud800' }], a: undefined })).toBe(
    '{"b":[1,{"c":"ü\\ud800","d":null}]}',
  );
  expect(canonicalJson({ x: 1, y: 2 })).toBe(canonicalJson({ y: 2, x: 1 }));
});

test('the text of an event includes its operator, address, request and details', () => {
  expect(content('a')).toBe(
    '{"action":"console.searched","clientIp":"192.0.2.1","details":{"text":"a"},"operator":"per_1","requestId":"r","subjectId":"","via":"console"}',
  );
});

test('a chain is checked in parts, and the check is complete with the last part', async () => {
  const links = chainOf('a', 'b', 'c');
  const first = await checkLog(start, 2, logOf(links));
  expect(first).toMatchObject({ count: 2, complete: false, breach: '' });
  expect(await checkLog(first, 2, logOf(links))).toEqual({
    count: 3,
    hash: links[2]?.hash,
    complete: true,
    breach: '',
  });
  expect((await checkLog(start, 10, logOf(links, '99'))).breach).toBe('Event 99 is in no row.');
  const unexplained = await checkLog(start, 10, logOf(links, undefined, { id: '8', businessId: 7 }));
  expect(unexplained.breach).toBe('Audit event 8 of business 7 is of an operator, and no row explains it.');
});

describe('the first row that does not fit is named:', () => {
  const links = chainOf('a', 'b', 'c');
  const [, second] = links;
  test.each<[string, Partial<Link>, string]>([
    ['its text', { event: { at: 1_001, content: content('x') } }, 'its content does not fit its hash'],
    ['its time', { event: { at: 1_002, content: content('b') } }, 'its content does not fit its hash'],
    ['its hash', { hash: '0'.repeat(64) }, 'its content does not fit its hash'],
    ['its position', { position: 4 }, 'Row 2 is missing: 4 follows.'],
    ['its event', { event: undefined }, 'its event is missing'],
  ])('%s', async (_, change, text) => {
    if (second === undefined) throw new Error('no second row');
    const log = {
      ...logOf([]),
      links: async () => links.map((link) => (link === second ? { ...link, ...change } : link)),
    };
    expect((await checkLog(start, 10, log)).breach).toContain(text);
  });
});

test('an event without its audit event, or with a changed one, is named', () => {
  const content = contentOf({
    actor,
    action: 'business.banned',
    businessId: 7,
    subjectId: '7',
    details: { reason: 'spam' },
    auditEvent: { id: '3', at: 5 },
  });
  const event = { at: 1, content };
  const link = { position: 1, eventId: '1', hash: hashAfter('', 1, event), event };
  const stored = {
    at: 5,
    actorKind: 'operator',
    // That of a person in the console is in this log alone.
    clientIp: undefined,
    requestId: 'r',
    businessId: 7,
    actorId: 'per_1',
    action: 'business.banned',
    subjectId: '7',
    details: { reason: 'spam' },
  };
  expect(breachOf(start, { ...link, auditEvent: stored })).toBeUndefined();
  expect(breachOf(start, { ...link, auditEvent: undefined })).toContain(
    'audit event 3 of business 7 is missing.',
  );
  const changes = [
    { details: { reason: 'nicer' } },
    { at: 6 },
    { actorKind: 'person' },
    { actorId: 'per_2' },
    { clientIp: '192.0.2.1' },
    { requestId: 's' },
    { subjectId: '8' },
  ];
  for (const change of changes) {
    expect(breachOf(start, { ...link, auditEvent: { ...stored, ...change } })).toContain(
      'audit event 3 of business 7 was changed.',
    );
  }
});
