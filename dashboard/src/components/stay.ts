import { useEffect } from 'react';

/** Address of a page that shows something only once; undefined while none does. */
let shownAt: string | undefined;

/** Undoes "Back" and "Forward" while something is shown only once. Begins before the router does, which else hears of them first. */
export function undoBackWhileShown(): void {
  addEventListener('popstate', (event) => {
    if (shownAt === undefined) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', shownAt);
  });
}

/** Keeps a person on a page that shows something only once: asks before it is closed or reloaded, and undoes "Back". */
export function useStay(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    shownAt = location.href;
    return () => {
      removeEventListener('beforeunload', warn);
      shownAt = undefined;
    };
  }, [isShown]);
}
