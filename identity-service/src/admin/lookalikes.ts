import type { Acts } from '../acts.ts';
import { newRequestId } from './command.ts';
import { formatRecord } from './output.ts';

/** Other verified businesses whose names look like some names, for `--json` and as lines below a record. */
interface Lookalikes {
  readonly json: readonly {
    readonly id: number;
    readonly accountHolder: string;
    readonly username: string;
  }[];
  /** Empty when there are none. */
  readonly text: string;
}

/** Finds them, so that an operator can decide whether the names imitate others. @param businessId uses the names */
export async function findLookalikes(
  { businesses }: Pick<Acts, 'businesses'>,
  businessId: number,
  names: readonly string[],
): Promise<Lookalikes> {
  if (names.length === 0) return { json: [], text: '' };
  const found = await businesses.findLookalikes(businessId, names, newRequestId());
  const json = found.map(({ id, accountHolder, username }) => ({ id, accountHolder, username }));
  const lines = json.map(({ id, accountHolder, username }) =>
    formatRecord({ 'looks like': `${accountHolder} (@${username}, business ${id}), verified` }),
  );
  return { json, text: lines.join('') };
}
