import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { RequestBody } from './request-body.ts';

test('the rest of a refused body is read, so that the client receives its refusal', async () => {
  const request = Object.assign(new Readable({ read() {} }), { headers: { 'content-length': '300000' } });
  const body = new RequestBody(request as unknown as IncomingMessage);
  let isReady = false;
  body.receive({ maxBytes: 1_000_000, onError: () => undefined }, () => {
    isReady = true;
  });
  request.push(Buffer.alloc(100_000));
  await nextTurn();
  expect([isReady, request.isPaused()]).toEqual([true, true]);
  // As the end of a response does.
  request.resume();
  for (let turn = 0; turn < 2; turn++) {
    request.push(Buffer.alloc(100_000));
    await nextTurn();
    expect([request.isPaused(), request.readableLength]).toEqual([false, 0]);
  }
  request.push(null);
  await nextTurn();
  expect(request.readableEnded).toBe(true);
});
