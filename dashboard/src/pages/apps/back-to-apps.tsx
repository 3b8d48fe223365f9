import { Anchor, Group } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';

/** The way from an app back to all of them. */
export function BackToApps() {
  return (
    <Anchor component={Link} href="/developers/apps" size="sm" w="fit-content">
      <Group component="span" gap={4}>
        <IconArrowLeft size={14} aria-hidden />
        Apps
      </Group>
    </Anchor>
  );
}
