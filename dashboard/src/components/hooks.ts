import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

const invalidField = '[aria-invalid=true], [data-invalid] input';

/**
 * Leads to the first field of a form that is shown not to be right.
 * @param error what the form was refused with, if it was; another object is another refusal. It is set with or after
 * what the fields show of it.
 */
export function useFocusOnError(error: object | null): RefObject<HTMLFormElement | null> {
  const ref = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (error !== null) ref.current?.querySelector<HTMLElement>(invalidField)?.focus();
  }, [error]);
  return ref;
}

/** Leads the focus to what takes the place of something that had it: the next step in a dialog. */
export function useFocusOnMount<Element extends HTMLElement>(): RefObject<Element | null> {
  const ref = useRef<Element>(null);
  useEffect(() => ref.current?.focus(), []);
  return ref;
}

/** Whether a dialog is open that may be made open: made closed and opened then, it knows where the focus goes back to. */
export function useOpenAfterMount(opened: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return opened && isMounted;
}
