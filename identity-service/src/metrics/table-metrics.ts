import { Counter, Gauge, type Registry } from '@platform/service-kit/metrics.ts';

/** What the janitor reports. */
export interface TableMetrics {
  sizes(bytesByTable: ReadonlyMap<string, number>): void;
  purged(rowsByTable: ReadonlyMap<string, number>): void;
}

/** Size of every table, and rows purged from it. */
export function createTableMetrics(registry: Registry): TableMetrics {
  const registers = [registry];
  const labelNames = ['table'];
  const size = new Gauge({
    name: 'identity_table_bytes',
    help: 'Bytes on disk of a table and its indexes.',
    labelNames,
    registers,
  });
  const purged = new Counter({
    name: 'identity_purged_rows_total',
    help: 'Rows deleted because their time was over.',
    labelNames,
    registers,
  });
  return {
    sizes: (bytesByTable) => {
      for (const [table, bytes] of bytesByTable) size.set({ table }, bytes);
    },
    purged: (rowsByTable) => {
      for (const [table, rows] of rowsByTable) purged.inc({ table }, rows);
    },
  };
}
