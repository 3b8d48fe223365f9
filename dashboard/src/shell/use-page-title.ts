import { useEffect } from 'react';
import { useCurrentBusiness } from './session-context.ts';

/** Names the browser's tab after the page and the business. */
export function usePageTitle(title: string): void {
  const business = useCurrentBusiness();
  const parts = [title, business?.name, 'Business API'].filter((part) => part !== undefined);
  const text = parts.join(' · ');
  useEffect(() => {
    document.title = text;
  }, [text]);
}
