import { Center, Loader } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { matchRoute, useLocation, useRouter } from 'wouter';
import { useSessionQuery } from '../api/session.ts';
import { ErrorState } from '../components/states.tsx';
import type { Routes } from './pages.tsx';
import { SessionContext } from './session-context.ts';

/** Starts loading the code of the current page while the session is being fetched. */
function usePreloadedPage(routes: Routes): void {
  const [path] = useLocation();
  const { parser } = useRouter();
  useEffect(() => {
    const matches = (pattern: string) => matchRoute(parser, pattern, path)[0];
    const route =
      routes.person.find((each) => matches(each.path)) ??
      routes.business.find((each) => matches(`/:businessId${each.path}`));
    // A failed import is retried and reported when the page is rendered.
    route?.component.load().catch(() => undefined);
  }, [routes, path, parser]);
}

/** Renders the dashboard once the session is loaded. */
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
