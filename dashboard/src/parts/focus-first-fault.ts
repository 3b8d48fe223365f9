/** Leads to the first field of the page that is not right, once it is shown to be. */
export function focusFirstFault(): void {
  requestAnimationFrame(() => {
    const faulty = document.querySelector<HTMLElement>('form [aria-invalid=true], form [data-faulty] input');
    faulty?.focus();
  });
}
