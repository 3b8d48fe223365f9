import type { UseQueryResult } from '@tanstack/react-query';
import { ErrorState } from '../../parts/error-state.tsx';
import { LoadingRows } from '../../parts/loading-rows.tsx';
import type { BlastRadius } from './api-keys.ts';
import { BlastRadiusView } from './blast-radius-view.tsx';
import classes from './keys.module.css';

/** What stops working, as it is now, before somebody decides. */
export function RadiusInDialog({ query }: { readonly query: UseQueryResult<BlastRadius> }) {
  const { data, error, isFetching, refetch } = query;
  return (
    <section className={classes.radius} aria-label="What uses this key">
      {isFetching ? (
        <LoadingRows rows={2} height={20} />
      ) : error !== null ? (
        <ErrorState error={error} title="It is not known now what uses this key" retry={refetch} />
      ) : (
        data !== undefined && <BlastRadiusView radius={data} maxPlaces={3} />
      )}
    </section>
  );
}
