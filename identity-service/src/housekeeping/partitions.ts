import type { PartitionedTable } from '@platform/service-kit/database/partitions.ts';

/** Rows of the first and of the default partition are deleted by their key, a period later. */
interface UsageTable extends PartitionedTable {
  readonly primaryKey: string;
  /** Column by which it is partitioned. */
  readonly time: string;
  readonly periodDays: number;
}

/** Days of the log of requests. */
export const requestLogDays = 30;

/** `keep_partitions` in the database has the same periods: it is what decides. */
export const partitionedTables: readonly UsageTable[] = [
  {
    name: 'usage_counts',
    primaryKey: 'credential_id, minute',
    time: 'minute',
    keptDays: 90,
    periodDays: 7,
  },
  {
    name: 'usage_hours',
    primaryKey: 'business_id, hour, limit_id',
    time: 'hour',
    keptDays: 91,
    periodDays: 7,
  },
  {
    name: 'usage_addresses',
    primaryKey: 'limit_id, hour, address',
    time: 'hour',
    keptDays: 30,
    periodDays: 1,
  },
  {
    name: 'usage_endpoints',
    primaryKey: 'limit_id, hour, method, route',
    time: 'hour',
    keptDays: 30,
    periodDays: 1,
  },
  {
    name: 'request_log',
    primaryKey: 'id, at',
    time: 'at',
    keptDays: requestLogDays,
    periodDays: 1,
  },
  {
    name: 'request_log_minutes',
    primaryKey: 'business_id, minute',
    time: 'minute',
    keptDays: requestLogDays,
    periodDays: 1,
  },
];
