import { IconTools } from '@tabler/icons-react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export default function ConnectedPage() {
  return (
    <>
      <PageHeader title="Connected apps" />
      <EmptyState icon={IconTools} title="This page is being built" />
    </>
  );
}
