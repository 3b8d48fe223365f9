import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSessionQuery } from '../api/session.ts';
import { ErrorState } from '../parts/states.tsx';
import { SessionContext } from './session-context.ts';
import { usePreloadedPage } from './use-preloaded-page.ts';

/** Shows the dashboard once it is known who looks at it. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useSessionQuery();
  usePreloadedPage();
  if (data !== undefined) return <SessionContext value={data}>{children}</SessionContext>;
  return (
    <Center mih="100dvh" p="md" component="main">
      {error === null ? <Loader aria-label="Loading" /> : <ErrorState error={error} retry={refetch} />}
    </Center>
  );
}
