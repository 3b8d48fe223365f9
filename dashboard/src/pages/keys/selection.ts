import { useState } from 'react';
import type { ApiKey } from './api.ts';

/** Selected rows of a list. */
export interface KeySelection {
  /** Only selected rows that are shown, so that no action affects a hidden key. */
  readonly keys: readonly ApiKey[];
  readonly isSelected: (key: ApiKey) => boolean;
  readonly toggle: (key: ApiKey) => void;
  /** Selects all that are shown, or none. */
  readonly setAll: (isSelected: boolean) => void;
}

/** Remembers which rows are selected. @param shown the rows of the list */
export function useKeySelection(shown: readonly ApiKey[]): KeySelection {
  const [ids, setIds] = useState<readonly string[]>([]);
  const isSelected = ({ id }: ApiKey) => ids.includes(id);
  return {
    keys: shown.filter(isSelected),
    isSelected,
    toggle: (key) => setIds(isSelected(key) ? ids.filter((id) => id !== key.id) : [...ids, key.id]),
    setAll: (all) => setIds(all ? shown.map(({ id }) => id) : []),
  };
}
