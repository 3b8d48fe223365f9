const ends = ['pointerup', 'pointercancel'] as const;

let isPressed = false;
window.addEventListener('pointerdown', () => (isPressed = true), true);
for (const end of ends) window.addEventListener(end, () => (isPressed = false), true);

/** Runs at once, or after a pointer press in progress, because a button that moves during the press misses its click. */
export function afterPress(run: () => void): void {
  if (!isPressed) {
    run();
    return;
  }
  const listening = new AbortController();
  const finish = () => {
    listening.abort();
    // Deferred, because the click follows the end of the press in the same task.
    setTimeout(run);
  };
  for (const end of ends) window.addEventListener(end, finish, { signal: listening.signal });
}
