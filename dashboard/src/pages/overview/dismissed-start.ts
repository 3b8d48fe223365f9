import { useState } from 'react';

const memoryOf = (businessId: string) => `start-dismissed-${businessId}`;

/** Whether the first steps were put away for a business in this browser, and how to do that. */
export function useDismissedStart(businessId: string): readonly [boolean, () => void] {
  const [isDismissed, setDismissed] = useState(() => isRemembered(businessId));
  const dismiss = () => {
    remember(businessId);
    setDismissed(true);
  };
  return [isDismissed, dismiss];
}

function isRemembered(businessId: string): boolean {
  try {
    return localStorage.getItem(memoryOf(businessId)) !== null;
  } catch {
    // Storage may be forbidden.
    return false;
  }
}

function remember(businessId: string): void {
  try {
    localStorage.setItem(memoryOf(businessId), 'yes');
  } catch {
    // As above: then they are put away until the page is loaded anew.
  }
}
