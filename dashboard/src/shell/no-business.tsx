import { IconBuildingStore } from '@tabler/icons-react';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageHeader } from '../parts/page-header.tsx';

/** For people who belong to no business. */
export function NoBusiness() {
  return (
    <>
      <PageHeader title="Welcome" />
      <EmptyState icon={IconBuildingStore} title="You belong to no business yet">
        Ask an owner of the business to invite you. The invitation comes by mail.
      </EmptyState>
    </>
  );
}
