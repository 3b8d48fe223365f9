import { Center, Loader } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { matchRoute, useLocation, useRouter } from 'wouter';
import { useSessionQuery } from '../api/session.ts';
import { ErrorState } from '../components/states.tsx';
import type { Routes } from './pages.tsx';
import { SessionContext } from './session-context.ts';

/** Begins to load the page that the address names, while it is still asked who looks at it. */
function usePreloadedPage(routes: Routes): void {
  const [path] = useLocation();
  const { parser } = useRouter();
  useEffect(() => {
    const matches = (pattern: string) => matchRoute(parser, pattern, path)[0];
    const route =
      routes.person.find((each) => matches(each.path)) ??
      routes.business.find((each) => matches(`/:businessId${each.path}`));
    // What fails now is tried again, and said, when the page is shown.
    route?.component.load().catch(() => undefined);
  }, [routes, path, parser]);
}

/** Shows the dashboard once it is known who looks at it. */
export function SessionGate({ routes, children }: { readonly routes: Routes; readonly children: ReactNode }) {
  const { data, error, refetch } = useSessionQuery();
  usePreloadedPage(routes);
  if (data !== undefined) return <SessionContext value={data}>{children}</SessionContext>;
  return (
    <Center mih="100dvh" p="md" component="main">
      {error === null ? <Loader aria-label="Loading" /> : <ErrorState error={error} retry={refetch} />}
    </Center>
  );
}
