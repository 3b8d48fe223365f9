import { expect, test } from '@jest/globals';
import { canaryReportService } from '@platform/protos/identity';
import { grpcService, startGrpcServer, type UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { createReports } from './reports.ts';

type Handlers = UnaryHandlers<typeof canaryReportService>;

/** An identity-service, and the reports of a canary to it. */
async function start(reportCheck: Handlers['ReportCheck']) {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: { kind: 'plain' },
    callers: {},
    services: [grpcService(canaryReportService, { ReportCheck: reportCheck })],
    logger: createLogger({ service: 'test', level: 'silent' }),
    registry: createRegistry('test'),
  });
  const target = `ipv4:127.0.0.1:${server.port}`;
  const observe = () => () => undefined;
  const reports = createReports({ target, tls: { kind: 'plain' }, businessId: 7, limit: 10, observe });
  const close = async () => {
    reports.close();
    await server.close(1_000);
  };
  return { reports, close };
}

test('a check whose response was lost is sent again under its id, and later ones wait for it', async () => {
  const received: { readonly checkId: string; readonly promise: string }[] = [];
  let isLost = true;
  const { reports, close } = await start(async (check) => {
    received.push(check);
    if (isLost) throw new AppError('internal', 'lost', 'lost');
    return {};
  });
  reports.add('revocation', { measured: [], violations: [] });
  reports.add('refresh', { measured: [], violations: [] });
  await expect(reports.send()).rejects.toThrow();
  isLost = false;
  await reports.send();
  await reports.send();
  await close();
  expect(received.map(({ promise }) => promise)).toEqual([
    'CHECKED_PROMISE_REVOCATION',
    'CHECKED_PROMISE_REVOCATION',
    'CHECKED_PROMISE_REFRESH',
  ]);
  const [first, again, other] = received.map(({ checkId }) => checkId);
  expect([again, other === first]).toEqual([first, false]);
});

test('a check is reported with its slowest gateway, its share of the limit, and its violations', async () => {
  const received: object[] = [];
  const { reports, close } = await start(async (check) => {
    received.push(check);
    return {};
  });
  const measured = [0.2, 7.1].map((ms) => ({ promise: 'revocation', replica: 'a', ms }) as const);
  const violation = {
    promise: 'revocation',
    replica: 'a',
    requestId: 'req_1',
    what: 'admitted a key',
  } as const;
  reports.add('revocation', { measured, violations: [violation] });
  reports.add('rolling_hour', { measured: [], violations: [], admitted: 9 });
  await reports.send();
  await close();
  expect(received).toMatchObject([
    {
      businessId: 7,
      timeMs: 8,
      violations: [{ gateway: 'a', requestId: 'req_1', what: 'admitted a key' }],
    },
    { promise: 'CHECKED_PROMISE_ROLLING_HOUR', admittedPercent: 90, violations: [] },
  ]);
});
