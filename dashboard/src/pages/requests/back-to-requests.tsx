import { Anchor, Group } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';

/** The way from a request back to all of them. */
export function BackToRequests() {
  return (
    <Anchor component={Link} href="/developers/requests" size="sm" w="fit-content">
      <Group component="span" gap={4}>
        <IconArrowLeft size={14} aria-hidden />
        Requests
      </Group>
    </Anchor>
  );
}
