import { ActionIcon, Avatar, Menu, Text, VisuallyHidden } from '@mantine/core';
import { IconLogout, IconUserCircle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { logOut } from './log-out.ts';
import { useSession } from './session-context.ts';

/** Who is logged in, and the way out. */
export function UserMenu() {
  const { person } = useSession();
  return (
    <Menu withinPortal={false} position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={36} radius="xl">
          <Avatar size={28} color="accent" name={person.name} alt="" aria-hidden />
          <VisuallyHidden>Account of {person.name}</VisuallyHidden>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate title={person.name}>
            {person.name}
          </Text>
          <Text size="xs" truncate title={person.email}>
            {person.email}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} href="/profile" leftSection={<IconUserCircle size={16} aria-hidden />}>
          Profile
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => logOut()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
