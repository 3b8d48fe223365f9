import { IconTools } from '@tabler/icons-react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export default function JoinPage() {
  return (
    <>
      <PageHeader title="Join a business" />
      <EmptyState icon={IconTools} title="This page is being built" />
    </>
  );
}
