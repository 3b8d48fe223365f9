import { expect, test } from '@jest/globals';
import { createRegistry } from '../telemetry/metrics.ts';
import { measureCertificates } from './certificates.ts';

// Made with openssl; their keys are gone.
const until2126 = `-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIUH3dj0g0Y16jUJTGoytPiOz6PznEwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEbGF0ZTAgFw0yNjExMjEyMjI5MjdaGA8yMTI2MTAyODIyMjky
N1owDzENMAsGA1UEAwwEbGF0ZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIJC
mKqORwL1a0dr9lTGy3vlPsm7vSHkqjZkDsZE/6C1+TOlo4YcSDMiww3aIf0ciowQ
RMa0t5h7txtEC0dBWcWjUzBRMB0GA1UdDgQWBBQGYtxwBmwSjeF5BDjEeuLkKfh8
nDAfBgNVHSMEGDAWgBQGYtxwBmwSjeF5BDjEeuLkKfh8nDAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCShYUmj+fBBXS5sFn6ebnVMWWics3FzsDT
EcMxRw1BcgIgd6DZVLsifUOOFtVAB38jIzI8rltH2OtyCFebUsArBEU=
-----END CERTIFICATE-----
`;
const until2036 = `-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIUPItByP4839IXhL4udj0kmUBqb/IwCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFZWFybHkwHhcNMjYxMTIxMjIyOTI3WhcNMzYxMTE4MjIyOTI3
WjAQMQ4wDAYDVQQDDAVlYXJseTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABI7V
b4fErVr+wIz7vmOqFv8E7BmmbB/Cr1QREoC10LUGUtVjEuSZmN3ZUYYV1+VPRgJh
e8azh83IQ00FWssvyeejUzBRMB0GA1UdDgQWBBQA9TmnhGPlWc43rhxwZNCYPoWp
bjAfBgNVHSMEGDAWgBQA9TmnhGPlWc43rhxwZNCYPoWpbjAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCICxcVJ48+178XiNGexxboWBnPHOYek/oDAmp
ZyMn8nB9AiEA6HtyzM5uAH27+AElJFKmnbvQRsIy2QywjU9VyDn+mh0=
-----END CERTIFICATE-----
`;

const now = Date.parse('2036-11-18T22:28:27Z');
const expiries = async (ca: string, cert: string) => {
  const registry = createRegistry('test');
  const tls = { kind: 'mutual', ca: Buffer.from(ca), cert: Buffer.from(cert), key: Buffer.alloc(0) } as const;
  measureCertificates(registry, tls, () => now);
  const metric = await registry.getSingleMetric('tls_certificate_expiry_seconds')?.get();
  return Object.fromEntries(metric?.values.map(({ labels, value }) => [labels.file, value]) ?? []);
};

test('each file has the seconds until its certificate expires', async () => {
  expect(await expiries(until2036, until2126)).toEqual({ GRPC_TLS_CA: 60, GRPC_TLS_CERT: 2_838_240_060 });
});

test('the first of several certificates to expire counts', async () => {
  expect(await expiries(until2126 + until2036, until2126)).toMatchObject({ GRPC_TLS_CA: 60 });
});

test('without certificates there is no value', async () => {
  const registry = createRegistry('test');
  measureCertificates(registry, { kind: 'plain' });
  const metric = await registry.getSingleMetric('tls_certificate_expiry_seconds')?.get();
  expect(metric?.values).toEqual([]);
});
