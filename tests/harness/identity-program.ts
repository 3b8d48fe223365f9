/** The acts and the command line of identity-service, which tests run in their own process; import-once.ts imports it. */
export { openActs } from '../../identity-service/src/acts.ts';
export { runAdmin } from '../../identity-service/src/admin/run.ts';
export { verifyLog } from '../../identity-service/src/audit/operator-log/verify.ts';
export { actsSchema } from '../../identity-service/src/config.ts';
export * from '../../identity-service/src/credentials/api-keys/freeze.ts';
export * from '../../identity-service/src/credentials/api-keys/operations.ts';
export * from '../../identity-service/src/credentials/applications/operations.ts';
export * from '../../identity-service/src/credentials/applications/suspend.ts';
export * from '../../identity-service/src/credentials/grants/end-grant.ts';
export { openPrepared } from '../../identity-service/src/platform/storage.ts';
export { clickHouseAddress, createClickHouse } from '../../identity-service/src/traffic/clickhouse/client.ts';
export { createLogMetrics } from '../../identity-service/src/traffic/clickhouse/log-metrics.ts';
export { startClickHouseLog } from '../../identity-service/src/traffic/clickhouse/request-log.ts';
export { sql } from '../../identity-service/src/traffic/clickhouse/sql.ts';
export { createPostgresLog } from '../../identity-service/src/traffic/postgres-log-store.ts';
export type * from '../../identity-service/src/traffic/request-log.ts';
