import { type AlertCase, alarm, alarmEvery, requests } from './alert-case.ts';

const ahead = 'identity_partitions_ahead_seconds{table="a"}';

/** For promtool: alarms about what is stored. */
export const dataCases: readonly AlertCase[] = [
  alarm(
    'DiskFull',
    '5m',
    { 'database_errors_total{service="business-service",sqlstate="53100"}': '0x3 1x2' },
    { 'database_errors_total{service="business-service",sqlstate="57014"}': '0x3 1x2' },
  ),
  alarm(
    'DiskFills',
    '20m',
    {
      'node_filesystem_avail_bytes{mountpoint="/",fstype="ext4"}': '14x20',
      'node_filesystem_size_bytes{mountpoint="/",fstype="ext4"}': '100x20',
      'kubelet_volume_stats_available_bytes{persistentvolumeclaim="postgres"}': '1x20',
      'kubelet_volume_stats_capacity_bytes{persistentvolumeclaim="postgres"}': '10x20',
    },
    {
      'node_filesystem_avail_bytes{mountpoint="/run",fstype="tmpfs"}': '1x20',
      'node_filesystem_size_bytes{mountpoint="/run",fstype="tmpfs"}': '100x20',
      'kubelet_volume_stats_available_bytes{persistentvolumeclaim="postgres"}': '2x20',
      'kubelet_volume_stats_capacity_bytes{persistentvolumeclaim="postgres"}': '10x20',
    },
    { mountpoint: '/', fstype: 'ext4' },
    { persistentvolumeclaim: 'postgres' },
  ),
  alarmEvery('1h')(
    'TableGrows',
    '170h',
    {
      'identity_table_bytes{service="identity-service",table="request_log"}': '600000000x48 1300000000x144',
      'webhook_table_bytes{service="webhook-service",table="attempts"}': '1000000x48 5000000x144',
    },
    { 'business_table_bytes{service="business-service",table="orders"}': '2000000000+10000000x192' },
    { service: 'identity-service', table: 'request_log' },
  ),
  alarm(
    'RequestLogStalls',
    '40m',
    { identity_request_log_dropped_total: '0x10 0+100x30' },
    { identity_request_log_dropped_total: '0x10 5000x30', identity_request_log_failures_total: '0+1x40' },
  ),
  alarmEvery('1h')(
    'PurgeStopped',
    '27h',
    { 'identity_purged_rows_total{table="sessions"}': '5x48', ...requests(0, 48) },
    { 'identity_purged_rows_total{table="sessions"}': '0+1x48', ...requests(0, 48) },
  ),
  // Purging fails since the process started; quiet: it begins late.
  alarmEvery('1h')(
    'PurgeStopped',
    '27h',
    { 'identity_purged_rows_total{table="sessions"}': '0x48', ...requests(0, 48) },
    { 'identity_purged_rows_total{table="sessions"}': '0x20 1x28', ...requests(0, 48) },
  ),
  alarmEvery('30m')(
    'PartitionsFail',
    '10h',
    {
      [ahead]: '200000-1800x20',
      'identity_partitions_overdue{table="b"}': '0x2 1x18',
      'business_partitions_overdue{table="events"}': '0x2 1x18',
    },
    { [ahead]: '260000x20', 'identity_partitions_overdue{table="b"}': '0x5 1x5 0x10' },
    { table: 'a' },
    { table: 'b' },
    { table: 'events' },
  ),
  alarm(
    'ArchiverFails',
    '20m',
    { identity_archiver_failing: '0x5 1x15' },
    { identity_archiver_failing: '0x2 1x8 0x10' },
  ),
];
