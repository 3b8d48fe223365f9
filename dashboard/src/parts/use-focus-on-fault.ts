import { type RefObject, useLayoutEffect, useRef } from 'react';

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
