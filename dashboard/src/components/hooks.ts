import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

const faulty = '[aria-invalid=true], [data-faulty] input';

/**
 * Leads to the first field of a form that is shown not to be right.
 * @param refusal what the form was refused with, if it was; another object is another refusal. It is set with or after
 * what the fields show of it.
 */
export function useFocusOnFault(refusal: object | null): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (refusal !== null) form.current?.querySelector<HTMLElement>(faulty)?.focus();
  }, [refusal]);
  return form;
}

/** Leads the focus to what takes the place of something that had it: the next step in a dialog. */
export function useFocusOnMount<Target extends HTMLElement>(): RefObject<Target | null> {
  const target = useRef<Target>(null);
  useEffect(() => target.current?.focus(), []);
  return target;
}

/** Whether a dialog is open that may be made open: made closed and opened then, it knows where the focus goes back to. */
export function useOpenedLater(opened: boolean): boolean {
  const [isMade, setMade] = useState(false);
  useEffect(() => setMade(true), []);
  return opened && isMade;
}
