import { IconTools } from '@tabler/icons-react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export default function BusinessPage() {
  return (
    <>
      <PageHeader title="Business" />
      <EmptyState icon={IconTools} title="This page is being built" />
    </>
  );
}
