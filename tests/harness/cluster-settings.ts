/** Settings of test clusters: speed over safety, since the data dies with the run. */
export const clusterSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '800',
  shared_buffers: '64MB',
  // Longer than databases of tests live: a worker for each of them every minute takes CPU.
  autovacuum_naptime: '30min',
} as const;
