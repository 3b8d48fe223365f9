import { IconTools } from '@tabler/icons-react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export default function KeyPage() {
  return (
    <>
      <PageHeader title="API key" />
      <EmptyState icon={IconTools} title="This page is being built" />
    </>
  );
}
