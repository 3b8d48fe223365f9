/** Colour of the page behind a chart, as the browser computes it. */
export function surfaceColour(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-body').trim();
}
