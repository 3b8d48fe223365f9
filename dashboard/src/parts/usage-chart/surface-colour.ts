/** Colour of what an element stands on. */
export function surfaceColour(element: Element): string {
  const { backgroundColor } = getComputedStyle(element);
  const isClear = backgroundColor === 'transparent' || backgroundColor === 'rgba(0, 0, 0, 0)';
  return isClear && element.parentElement !== null ? surfaceColour(element.parentElement) : backgroundColor;
}
