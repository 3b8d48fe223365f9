import { describe, expect, test } from '@jest/globals';
import { AppError } from '../values/app-error.ts';
import { toDatabaseError } from './errors.ts';

const withCode = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('an unavailable database', () => {
  test.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['a name that does not resolve', withCode('EAI_AGAIN')],
    ['a server that is starting', withCode('57P03')],
    ['a connection ended by the administrator', withCode('57P01')],
    ['a statement that took too long', withCode('57014')],
    ['too many connections', withCode('53300')],
    ['a full disk', withCode('53100')],
    ['a server out of memory', withCode('53200')],
    ['an I/O error', withCode('58030')],
    ['a write to a standby', withCode('25006')],
    ['a password that is being changed', withCode('28P01')],
    ['a deadlock', withCode('40P01')],
    ['a transaction in conflict with another one', withCode('P2034')],
    ['a pool without a free connection in time', new Error('no database connection is free')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ['a server that does not respond', new Error('Query read timeout')],
    ['a connection lost under a query', new Error('Connection terminated unexpectedly')],
    ['a transaction that could not start', withCode('P2028')],
    ['Prisma without a server', withCode('P1001')],
    ['a cause deep inside', new Error('outer', { cause: new Error('inner', { cause: withCode('57P01') }) })],
    [
      'a raw query of Prisma without a server',
      Object.assign(withCode('P2010'), {
        meta: { driverAdapterError: { cause: { kind: 'DatabaseNotReachable' } } },
      }),
    ],
    [
      'an SQLSTATE that Prisma wrapped',
      Object.assign(withCode('P2039'), {
        meta: { driverAdapterError: { cause: { originalCode: '57P02' } } },
      }),
    ],
  ])('is recognized by %s', (_, error) => {
    const seen = toDatabaseError(error);
    expect(seen).toBeInstanceOf(AppError);
    expect(seen).toMatchObject({ kind: 'unavailable', reason: 'database_unavailable', cause: error });
  });

  test('has one public text', () => {
    expect(toDatabaseError(withCode('ECONNREFUSED', 'connect 10.0.0.7:5432'))).toMatchObject({
      message: 'the service is temporarily unavailable',
    });
  });
});

test.each([
  ['a unique violation', withCode('23505')],
  ['a missing record', withCode('P2025')],
  ['a syntax error', withCode('42601')],
  ['damaged data', withCode('XX001')],
  ['a programming error', new TypeError('x is not a function')],
  ['an AppError', new AppError('conflict', 'taken', 'taken')],
  ['nothing', undefined],
])('%s is returned unchanged', (_, error) => {
  expect(toDatabaseError(error)).toBe(error);
});

test('an error that is its own cause is read once', () => {
  const error = new Error('loop');
  error.cause = error;
  expect(toDatabaseError(error)).toBe(error);
});
