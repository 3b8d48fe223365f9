import { AppError } from './app-error.ts';
import { errorFields } from './logger.ts';

test('an error tells its kind, its code and its causes', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const error = new AppError('unavailable', 'database_unavailable', 'the database is not available', cause);
  expect(errorFields(error)).toMatchObject({
    type: 'AppError',
    message: 'the database is not available',
    reason: 'database_unavailable',
    cause: { type: 'Error', message: 'refused', code: 'ECONNREFUSED' },
  });
});

test('what a driver attaches to its errors stays out', () => {
  const error = Object.assign(new Error('lost'), { client: { password: 'hunter2hunter2' } });
  expect(JSON.stringify(errorFields(error))).not.toContain('hunter2');
});

test('causes that go round in a circle end', () => {
  const error = new Error('round');
  error.cause = error;
  expect(JSON.stringify(errorFields(error)).match(/round/g)?.length).toBeLessThan(20);
});

test('what is thrown without being an error is told as well', () => {
  expect(errorFields('oops')).toEqual({ type: 'string', message: 'oops' });
});
