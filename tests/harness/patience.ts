/*
 * Time limits for tests that are not about time limits: a busy machine is no failure. Tests that speak of loss have those of
 * production (`strictTimes`).
 */

/** Of identity-service and business-service; below that of gateways for them. */
export const databasePatience = { DATABASE_WAIT_MS: '15000' };

/** A call in flight outlasts a pause of the service that it calls. */
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

/** Of gateways, in tests that freeze Redis: as in production. */
export const strictRedis = { REDIS_TIMEOUT_MS: '50' };

/** Of services, in tests that freeze PostgreSQL or hold its tables until a statement fails: as in production. */
export const strictDatabase = { DATABASE_WAIT_MS: '800' };

/** Of identity-service, in tests that lose PostgreSQL: as in production. */
export const strictIdentity = { ...strictDatabase, DATABASE_PATIENCE_MS: '200' };
