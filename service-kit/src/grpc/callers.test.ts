import { describe, expect, test } from '@jest/globals';
import { createCallerCheck, grpcCallers, namesOf } from './callers.ts';

const tls = { kind: 'mutual', ca: Buffer.of(), cert: Buffer.of(), key: Buffer.of() } as const;
const table = { 'a.v1.Keys': ['admin'], 'a.v1.Keys/Read': ['reader', 'admin'] };
const added = grpcCallers.parse('billing=a.v1.Keys/Read, audit=a.v1.Keys');
const check = createCallerCheck({ tls, table, added });
const from = (subjectaltname: string) => ({
  getAuthContext: () => ({ sslPeerCertificate: { subjectaltname } as never }),
});

describe('a caller', () => {
  test.each([
    ['that the row of the service names', '/a.v1.Keys/Write', 'DNS:admin, DNS:localhost'],
    ['that the row of the method names', '/a.v1.Keys/Read', 'DNS:localhost, DNS:reader'],
    ['that the configuration adds to a method', '/a.v1.Keys/Read', 'DNS:billing'],
    ['that the configuration adds to a service', '/a.v1.Keys/Write', 'DNS:audit'],
  ])('%s is admitted', (_, path, names) => {
    expect(() => check(path, from(names))).not.toThrow();
  });

  test.each([
    ['that the row of another method names', '/a.v1.Keys/Write', 'DNS:reader'],
    ['that the configuration adds to another method', '/a.v1.Keys/Write', 'DNS:billing'],
    ['without a name', '/a.v1.Keys/Write', 'IP Address:127.0.0.1'],
    ['whose name only begins with an admitted name', '/a.v1.Keys/Write', 'DNS:admin.evil.example'],
    ['with a name inside another one', '/a.v1.Keys/Write', 'DNS:"x, DNS:admin, y"'],
    ['of a service without a row', '/a.v1.Other/Write', 'DNS:admin'],
  ])('%s is refused', (_, path, names) => {
    expect(() => check(path, from(names))).toThrow(
      expect.objectContaining({ kind: 'permission_denied', reason: 'caller_not_allowed' }),
    );
  });

  // As grpc-js says it, before and after the session has noticed.
  test.each([() => ({ sslPeerCertificate: (null as unknown as { raw: never }).raw }), () => ({})])(
    'whose connection has ended gets UNAVAILABLE instead of PERMISSION_DENIED',
    (getAuthContext) => {
      expect(() => check('/a.v1.Keys/Write', { getAuthContext })).toThrow(
        expect.objectContaining({ kind: 'unavailable', reason: 'connection_ended' }),
      );
    },
  );

  test('needs no name without TLS', () => {
    const plain = createCallerCheck({ tls: { kind: 'plain' }, table, added });
    expect(() => plain('/a.v1.Keys/Write', from(''))).not.toThrow();
  });
});

describe('a caller that acts for one business', () => {
  const path = '/a.v1.Keys/Read';
  const asks = (business: number | undefined, request: unknown) => {
    const confined = new Map([['reader', business]]);
    const call = { ...from('DNS:reader'), request };
    return () => createCallerCheck({ tls, table, added, confined })(path, call);
  };

  test('is admitted for that business', () => {
    expect(asks(7, { businessId: 7 })).not.toThrow();
  });

  test.each([
    ['for another business', 7, { businessId: 8 }],
    ['for a request without a business', 7, {}],
    ['when its business is not configured', undefined, { businessId: 7 }],
    ['for a request without a business when none is configured', undefined, {}],
  ])('is refused %s', (_, business, request) => {
    expect(asks(business, request)).toThrow(expect.objectContaining({ reason: 'caller_not_allowed' }));
  });
});

test('the names of a certificate are its DNS names', () => {
  expect(namesOf('IP Address:127.0.0.1, DNS:gateway, DNS:localhost')).toEqual(['gateway', 'localhost']);
  expect(namesOf('')).toEqual([]);
});

test.each(['billing', 'billing=', '=a.v1.Keys', 'billing=a b', 'Billing=a.v1.Keys', 'billing=a.v1.Keys/'])(
  'the variable %j is refused',
  (text) => expect(grpcCallers.safeParse(text).success).toBe(false),
);
