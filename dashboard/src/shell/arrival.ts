let navigated = false;

/** Whether a page within the dashboard was gone to since the browser loaded it. */
export const wasNavigated = (): boolean => navigated;

// wouter announces what it does to the history as events of the window. Replacing an address, as on the way from
// /dashboard to a business, is part of an arrival.
for (const event of ['pushState', 'popstate']) {
  addEventListener(event, () => {
    navigated = true;
  });
}
// A new page begins at its top; back and forward are the browser's own, which knows where one was.
addEventListener('pushState', () => scrollTo({ top: 0, behavior: 'instant' }));
