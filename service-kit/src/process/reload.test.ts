import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { reloadFiles } from './reload.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  process.removeAllListeners('SIGHUP');
  jest.useRealTimers();
});

/** Files whose state is set by the test, and what was reported of them. */
function watched() {
  const files = { problem: '', loads: 0, reported: [] as string[] };
  reloadFiles(
    () => {
      files.loads += 1;
      if (files.problem !== '') throw new Error(files.problem);
    },
    (error) => files.reported.push(String(error)),
  );
  return files;
}

test('files are read every minute and on SIGHUP', () => {
  const files = watched();
  jest.advanceTimersByTime(59_999);
  expect(files.loads).toBe(0);
  jest.advanceTimersByTime(1);
  expect(files.loads).toBe(1);
  process.emit('SIGHUP');
  expect(files.loads).toBe(2);
});

test('files that are being renewed are read again a second later, without a report', () => {
  const files = watched();
  files.problem = 'half';
  process.emit('SIGHUP');
  process.emit('SIGHUP');
  jest.advanceTimersByTime(999);
  files.problem = '';
  jest.advanceTimersByTime(1);
  expect(files).toEqual({ problem: '', loads: 3, reported: [] });
});

test('an error that remains a second later is reported once until the files are usable', () => {
  const files = watched();
  for (const problem of ['garbage', 'garbage', 'expired', '', 'expired']) {
    files.problem = problem;
    process.emit('SIGHUP');
    jest.advanceTimersByTime(1_000);
  }
  expect(files.reported).toEqual(['Error: garbage', 'Error: expired', 'Error: expired']);
});
