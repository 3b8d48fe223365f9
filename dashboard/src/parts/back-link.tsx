import { Anchor, Group } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';

/** The way from one thing back to the list of all of them, above a page's heading. */
export function BackLink({
  href,
  children,
}: {
  readonly href: string;
  /** Name of the list. */
  readonly children: string;
}) {
  return (
    <Anchor component={Link} href={href} size="sm" w="fit-content">
      <Group component="span" gap={4}>
        <IconArrowLeft size={14} aria-hidden />
        {children}
      </Group>
    </Anchor>
  );
}
