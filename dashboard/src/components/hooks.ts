import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

const invalidField = '[aria-invalid=true], [data-invalid] input';

/**
 * Focuses the first invalid field of a form after each failed submission.
 * @param error a new object per failure, null without one; set with or after the errors of the fields
 */
export function useFocusOnError(error: object | null): RefObject<HTMLFormElement | null> {
  const ref = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (error !== null) ref.current?.querySelector<HTMLElement>(invalidField)?.focus();
  }, [error]);
  return ref;
}

/** Focuses an element when it mounts, such as the next step of a dialog. */
export function useFocusOnMount<Element extends HTMLElement>(): RefObject<Element | null> {
  const ref = useRef<Element>(null);
  useEffect(() => ref.current?.focus(), []);
  return ref;
}

/** Opens a dialog only after it has mounted closed: it then knows where to return the focus. */
export function useOpenAfterMount(opened: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return opened && isMounted;
}
