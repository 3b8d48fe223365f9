/** What is wrong with a form, by the name of the field. */
export type Faults = Readonly<Record<string, string>>;

/** The faults that there are. */
export function faultsOf(found: Readonly<Record<string, string | undefined>>): Faults {
  const faults: Record<string, string> = {};
  for (const [field, fault] of Object.entries(found)) {
    if (fault !== undefined) faults[field] = fault;
  }
  return faults;
}

export function hasFaults(faults: Faults): boolean {
  return Object.keys(faults).length > 0;
}
