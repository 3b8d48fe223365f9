import { Button, List, Stack, Text } from '@mantine/core';
import { IconMapSearch, IconRefresh } from '@tabler/icons-react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { RequestSearch } from './request-search.tsx';

/** For an id under which nothing is on record: why that may be. */
export function NotOnRecord({ isLooking, lookAgain }: { readonly isLooking: boolean; lookAgain(): void }) {
  return (
    <Stack gap="lg">
      <RequestSearch />
      <EmptyState
        icon={IconMapSearch}
        title="No refused or failed request with this id is on record"
        action={
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isLooking}
            onClick={lookAgain}
          >
            Look again
          </Button>
        }
      />
      <div>
        <Text size="sm" fw={600} mb="xs">
          Why that may be
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>It was made a moment ago: records take a few seconds to arrive.</List.Item>
          <List.Item>It succeeded. Only what was refused or failed is kept.</List.Item>
          <List.Item>It is older than 7 days, or than one day where nobody knows whose it was.</List.Item>
          <List.Item>It belongs to another business, or was no request to the API.</List.Item>
          <List.Item>So much failed at once that not everything was kept.</List.Item>
        </List>
      </div>
    </Stack>
  );
}
