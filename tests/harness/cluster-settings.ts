/** Settings of test clusters: speed over safety, since the data dies with the run. */
export const clusterSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '800',
  shared_buffers: '64MB',
} as const;
