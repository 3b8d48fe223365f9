import { Button } from '@mantine/core';
import { IconMapSearch } from '@tabler/icons-react';
import { Link } from 'wouter';
import { PageHeader } from '../parts/panel.tsx';
import { EmptyState } from '../parts/states.tsx';

const texts = {
  business: {
    title: 'Business not found',
    lead: 'There is no such business among yours',
    text: 'It may not exist, or you do not belong to it. One of its owners can invite you.',
  },
  page: {
    title: 'Page not found',
    lead: 'There is nothing at this address',
    text: 'It may have been mistyped, or the page has moved.',
  },
} as const;

/** For addresses that lead nowhere. */
export function NotFound({ what }: { readonly what: keyof typeof texts }) {
  const { title, lead, text } = texts[what];
  return (
    <>
      <PageHeader title={title} />
      <EmptyState
        icon={IconMapSearch}
        title={lead}
        action={
          <Button component={Link} href="~/dashboard" variant="default">
            Go to your dashboard
          </Button>
        }
      >
        {text}
      </EmptyState>
    </>
  );
}
