import { type Code, useCode } from '../parts/code.ts';
import { PageSkeleton } from '../parts/states.tsx';

/** A page, once its code is there. */
export function LoadedPage({ code }: { readonly code: Code }) {
  const Page = useCode(code);
  return Page === undefined ? <PageSkeleton /> : <Page />;
}
