import { checkLog } from './log.ts';
import type { OperatorLogStore } from './store.ts';

/** End of the log: its number of rows, and the hash of the last one. */
interface Seen {
  readonly count: number;
  readonly hash: string;
}

/** Rows of one statement. */
const batch = 1_000;

/**
 * Checks the chain from its first row on.
 * @param earlier end of the log in an earlier run @throws Error that names the first row that does not fit
 */
export async function verifyLog(log: OperatorLogStore, earlier: Seen | undefined): Promise<Seen> {
  let checked: Seen = { count: 0, hash: '' };
  for (;;) {
    const left = (earlier?.count ?? 0) - checked.count;
    const limit = left > 0 ? Math.min(left, batch) : batch;
    const part = await checkLog(checked, limit, log);
    if (part.breach !== '') throw new Error(part.breach);
    checked = { count: part.count, hash: part.hash };
    if (checked.count === earlier?.count && checked.hash !== earlier.hash) {
      throw new Error(`Row ${checked.count} has another hash than before: the log was written again.`);
    }
    if (part.complete) break;
  }
  if (earlier !== undefined && checked.count < earlier.count) {
    throw new Error(`Row ${checked.count + 1} is missing: there were ${earlier.count} rows before.`);
  }
  return checked;
}
