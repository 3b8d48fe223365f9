import { Button } from '@mantine/core';
import { IconMapSearch } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageHeader } from '../parts/page-header.tsx';

const texts = {
  business: {
    title: 'Business not found',
    text: 'There is no such business, or you do not belong to it. An owner can invite you.',
  },
  page: { title: 'Page not found', text: 'There is nothing at this address.' },
} as const;

/** For addresses that lead nowhere. */
export function NotFound({ what }: { readonly what: keyof typeof texts }) {
  const { title, text } = texts[what];
  return (
    <>
      <PageHeader title={title} />
      <EmptyState
        icon={IconMapSearch}
        title={text}
        action={
          <Button component={Link} href="~/dashboard" variant="default">
            Go to your dashboard
          </Button>
        }
      />
    </>
  );
}
