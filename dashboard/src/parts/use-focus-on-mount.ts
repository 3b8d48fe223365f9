import { type RefObject, useEffect, useRef } from 'react';

/** Leads the focus to what takes the place of something that had it: the next step in a dialog. */
export function useFocusOnMount<Target extends HTMLElement>(): RefObject<Target | null> {
  const target = useRef<Target>(null);
  useEffect(() => target.current?.focus(), []);
  return target;
}
