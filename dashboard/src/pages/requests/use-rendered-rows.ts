import { type RefObject, useEffect, useRef, useState } from 'react';
import { renderedRows } from './log.ts';

/** The rows of a long list to render while the page scrolls. @param rowHeight pixels */
export function useRenderedRows<Element extends HTMLElement>(
  count: number,
  rowHeight: number,
): { readonly ref: RefObject<Element | null>; readonly first: number; readonly end: number } {
  const ref = useRef<Element>(null);
  const [firstVisible, setFirstVisible] = useState(0);
  useEffect(() => {
    const follow = () => {
      const above = -(ref.current?.getBoundingClientRect().top ?? 0);
      // In hundreds: a page that scrolls by less renders nothing.
      setFirstVisible(Math.max(0, Math.floor(above / rowHeight / 100) * 100));
    };
    follow();
    addEventListener('scroll', follow, { passive: true });
    return () => removeEventListener('scroll', follow);
  }, [rowHeight]);
  return { ref, ...renderedRows(firstVisible, count) };
}
