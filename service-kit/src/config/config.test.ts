import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { commonFields, readConfig } from './config.ts';

const read = (DRAIN_DELAY_MS: string) =>
  readConfig(z.object(commonFields), { OPS_PORT: '0', DRAIN_DELAY_MS });

test.each([
  ['0', 0],
  ['10000', 10_000],
])('a drain delay may be %s ms', (text, delay) => {
  expect(read(text).DRAIN_DELAY_MS).toBe(delay);
});

test.each(['-1', '10001', '60000', '0.5', 'soon'])('a drain delay of %s is refused', (text) => {
  expect(() => read(text)).toThrow('DRAIN_DELAY_MS');
});
