import type { Purge } from './store/purge.ts';

/** Batches per table and round: a backlog is worked off over several rounds. */
const maxBatches = 50;

/** Deletes what is over from every table. Resolves to the number of rows by table. */
export async function purgeAll(purges: Readonly<Record<string, Purge>>): Promise<Map<string, number>> {
  const purged = new Map<string, number>();
  for (const [table, purge] of Object.entries(purges)) {
    purged.set(table, await purgeTable(purge));
  }
  return purged;
}

async function purgeTable(purge: Purge): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < maxBatches; batch++) {
    const deleted = await purge();
    total += deleted;
    if (deleted === 0) break;
  }
  return total;
}
