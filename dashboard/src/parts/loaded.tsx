import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from './error-state.tsx';
import { LoadingRows } from './loading-rows.tsx';

/** What a query answers, as `children` shows it; until then something that loads, or what went wrong. */
export function Loaded<Answer>({
  query,
  loading = <LoadingRows />,
  children,
}: {
  readonly query: Pick<UseQueryResult<Answer>, 'data' | 'error' | 'refetch'>;
  readonly loading?: ReactNode;
  readonly children: (answer: Answer) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  return error === null ? loading : <ErrorState error={error} retry={refetch} />;
}
