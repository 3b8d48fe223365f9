import { Anchor, Group } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';

/** The way from a key back to all of them. */
export function BackToKeys() {
  return (
    <Anchor component={Link} href="/developers/keys" size="sm" w="fit-content">
      <Group component="span" gap={4}>
        <IconArrowLeft size={14} aria-hidden />
        API keys
      </Group>
    </Anchor>
  );
}
