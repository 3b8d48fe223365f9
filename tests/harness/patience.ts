import { readFileSync } from 'node:fs';
import type { Environment } from './service.ts';
import { scaled } from './slowness.ts';

/*
 * Time limits for tests that are not about time limits, which tolerate a busy machine. Tests of outages have those of
 * production (`strictTimes`), all multiplied by one factor if the machine was measured to be too slow.
 */

/** Of identity-service and business-service; below that of gateways for them. */
export const databasePatience = { DATABASE_WAIT_MS: '15000' };

/** Long enough for a call in flight to survive a pause of the called service. */
const keepalivePatience = { GRPC_KEEPALIVE_TIMEOUT_MS: '5000' };

/** Of webhook-service. */
export const webhookPatience = { ...databasePatience, ...keepalivePatience };

/** Of identity-service. */
export const identityPatience = {
  ...databasePatience,
  ...keepalivePatience,
  DATABASE_PATIENCE_MS: '15000',
  SERVICE_TIMEOUT_MS: '10000',
  PROPAGATION_TIMEOUT_MS: '5000',
};

/** Of the tests' own gRPC clients: calls in flight outlast a pause of either side. */
export const callPatience = { waitForReady: true, keepaliveTimeoutMs: 5_000 };

/** Of one call of the tests. */
export const call = { deadlineMs: 30_000 };

/** Of webhook-service, in tests of attempts that are in flight meanwhile. */
export const attemptPatience = { ATTEMPT_TIMEOUT_MS: '120000' };

/**
 * Of webhook-service, in tests of checks of receivers. One check waits for a receiver that never responds, and a whole one has
 * 20 seconds.
 */
export const checkPatience = { CHECK_TIMEOUT_MS: '10000', CHECK_SLOW_MS: '10000' };

/** Of gateways. */
export const gatewayPatience = {
  ...keepalivePatience,
  AUTHORIZE_TIMEOUT_MS: '10000',
  IDENTITY_PATIENCE_MS: '10000',
  UPSTREAM_TIMEOUT_MS: '18000',
  REDIS_TIMEOUT_MS: '5000',
};

const documented = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

/** The largest values that a gateway accepts. */
const mostMs: Readonly<Record<string, number>> = {
  AUTHORIZE_TIMEOUT_MS: 10_000,
  UPSTREAM_TIMEOUT_MS: 18_000,
};

/** Time limits of a test's own, as long as on a machine that is fast enough. */
export const scaledLimits = (limits: Readonly<Record<string, number>>): Environment =>
  Object.fromEntries(
    Object.entries(limits).map(([name, ms]) => [name, `${Math.min(scaled(ms), mostMs[name] ?? Infinity)}`]),
  );

/** Time limits as in production. */
const strict = (...names: readonly string[]): Environment =>
  scaledLimits(
    Object.fromEntries(
      names.map((name) => [name, Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(documented)?.[1])]),
    ),
  );

/** Time limits of `patience`, or those of production for tests that are `isStrict`. */
export const timeLimits = (patience: Environment, isStrict = false): Environment =>
  isStrict ? strict(...Object.keys(patience)) : patience;

/** Of gateways, in tests that freeze Redis. */
export const strictRedis = strict('REDIS_TIMEOUT_MS');

/** Of services, in tests that freeze PostgreSQL or hold its tables until a statement fails. */
export const strictDatabase = strict('DATABASE_WAIT_MS');

/** Of identity-service, in tests that lose PostgreSQL. */
export const strictIdentity = strict('DATABASE_WAIT_MS', 'DATABASE_PATIENCE_MS');
