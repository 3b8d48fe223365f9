import { expect, test } from '@jest/globals';
import { type EventEnvelope, eventBody, fitsEvent, maxEventBytes, maxRecordBytes } from './event-body.ts';

const event: EventEnvelope = {
  id: 'evt_3mT9cKq0ZxV4hR7aLw2P',
  type: 'order.paid',
  createdAt: new Date('2026-11-22T08:30:00.5Z'),
  business: 'biz_0aB1cD2eF3gH4iJ5kL6m',
  sequence: 42,
  previous: 0,
  data: '{"b": 1,  "a":"\\u00e9é","2":3}',
};

test('the fields of an event are in the documented order, with the data as stored', () => {
  expect(eventBody(event)).toBe(
    '{"id":"evt_3mT9cKq0ZxV4hR7aLw2P","type":"order.paid","timestamp":"2026-11-22T08:30:00.500Z",' +
      '"business":"biz_0aB1cD2eF3gH4iJ5kL6m","sequence":42,"previous":0,"data":{"b": 1,  "a":"\\u00e9é","2":3}}',
  );
});

test('the largest allowed record leaves room for the longest envelope and four more dates', () => {
  const bytes = maxRecordBytes - '{"text":""}'.length;
  const record = { text: 'é'.repeat(Math.floor(bytes / 2)) + 'x'.repeat(bytes % 2) };
  expect(fitsEvent(record)).toBe(true);
  expect(fitsEvent({ text: `${record.text}x` })).toBe(false);
  const data = JSON.stringify(record) + new Date(0).toISOString().repeat(4);
  const longest = { ...event, type: 'business.verification_submitted', sequence: 2 ** 53, previous: 2 ** 53 };
  expect(Buffer.byteLength(eventBody({ ...longest, data }))).toBeLessThan(maxEventBytes);
});
