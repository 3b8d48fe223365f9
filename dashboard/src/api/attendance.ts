import { focusManager } from '@tanstack/react-query';

/** Milliseconds after a person's last act from which on a page counts as left. */
const leftAfterMs = 10 * 60_000;

const acts = ['pointerdown', 'pointermove', 'wheel', 'keydown', 'focus', 'visibilitychange', 'popstate'];

/**
 * Treats a page on which a person does nothing like a hidden one: polls pause, as each request would keep the session alive.
 * With the next act they go on, and queries with `refetchOnWindowFocus` are fetched at once.
 */
export function pauseWhileLeft(): void {
  let timer: ReturnType<typeof setTimeout>;
  const attend = () => {
    clearTimeout(timer);
    timer = setTimeout(() => focusManager.setFocused(false), leftAfterMs);
    // As the browser says: a page may be hidden.
    focusManager.setFocused(undefined);
  };
  for (const act of acts) addEventListener(act, attend, { capture: true, passive: true });
  attend();
}
