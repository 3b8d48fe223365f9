const ends = ['pointerup', 'pointercancel'] as const;

let isPressed = false;
window.addEventListener('pointerdown', () => (isPressed = true), true);
for (const end of ends) window.addEventListener(end, () => (isPressed = false), true);

/** Runs at once, or after the press of a pointer that is under way: a button that moves under it misses its click. */
export function afterPress(run: () => void): void {
  if (!isPressed) {
    run();
    return;
  }
  const listening = new AbortController();
  const finish = () => {
    listening.abort();
    // The click follows the end of the press in the same task.
    setTimeout(run);
  };
  for (const end of ends) window.addEventListener(end, finish, { signal: listening.signal });
}
