import { focusManager } from '@tanstack/react-query';

/** Milliseconds without activity after which a page counts as unattended. */
const leftAfterMs = 10 * 60_000;

const acts = ['pointerdown', 'pointermove', 'wheel', 'keydown', 'focus', 'visibilitychange', 'popstate'];

/**
 * Treats an unattended page like a hidden one: polls pause, because each request would keep the session alive. With the next
 * activity they resume, and queries with `refetchOnWindowFocus` are fetched at once.
 */
export function pauseWhileLeft(): void {
  let timer: ReturnType<typeof setTimeout>;
  const attend = () => {
    clearTimeout(timer);
    timer = setTimeout(() => focusManager.setFocused(false), leftAfterMs);
    // Lets the browser decide, because the page may be hidden.
    focusManager.setFocused(undefined);
  };
  for (const act of acts) addEventListener(act, attend, { capture: true, passive: true });
  attend();
}
