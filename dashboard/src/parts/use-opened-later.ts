import { useEffect, useState } from 'react';

/** Whether a dialog is open that may be made open: made closed and opened then, it knows where the focus goes back to. */
export function useOpenedLater(opened: boolean): boolean {
  const [isMade, setMade] = useState(false);
  useEffect(() => setMade(true), []);
  return opened && isMade;
}
