import { useEffect } from 'react';

/** Number of things on the page that are shown only once. */
let shown = 0;

/** The same including those that are about to be shown, and the URL of their page. */
let kept = 0;
let keptAt = '';

/** Undoes "Back" and "Forward" while something is shown only once. Call it before the router starts to listen. */
export function undoBackWhileShown(): void {
  addEventListener('popstate', (event) => {
    if (kept === 0) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', keptAt);
  });
}

/** Whether the page shows something only once, so that only the person may leave it. */
export const isShownOnce = (): boolean => shown > 0;

/** Undoes "Back" while a request is pending whose response will be shown only once. */
export function useStayDuring(isPending: boolean): void {
  useEffect(() => {
    if (!isPending) return;
    kept++;
    keptAt = location.href;
    return () => {
      kept--;
    };
  }, [isPending]);
}

/** Keeps a person on a page that shows something only once: asks before it is closed or reloaded, and undoes "Back". */
export function useStay(isShown: boolean): void {
  useStayDuring(isShown);
  useEffect(() => {
    if (!isShown) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    shown++;
    return () => {
      removeEventListener('beforeunload', warn);
      shown--;
    };
  }, [isShown]);
}
