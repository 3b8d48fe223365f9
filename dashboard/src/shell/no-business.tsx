import { IconBuildingStore } from '@tabler/icons-react';
import { PageHeader } from '../parts/panel.tsx';
import { EmptyState } from '../parts/states.tsx';

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
