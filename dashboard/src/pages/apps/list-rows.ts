/** Faults of a list's entries, by the entry: they stay with it wherever it moves, and go when it is changed. */
export type EntryFaults = ReadonlyMap<string, string>;

/** The faults of a list among those that an answer names: `ipWhitelist.2` is that of the third entry. */
export function entryFaults(
  faults: Readonly<Record<string, string | null>>,
  list: string,
  entries: readonly string[],
): EntryFaults {
  const found = entries.flatMap((entry, place): [string, string][] => {
    const fault = faults[`${list}.${place}`];
    return fault === undefined || fault === null ? [] : [[entry.trim(), fault]];
  });
  return new Map(found);
}

/** A pasted text as entries: lines, or what commas or blanks stand between. */
export function splitPasted(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== '');
}
