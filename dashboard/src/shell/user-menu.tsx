import { ActionIcon, Avatar, Menu, Text, VisuallyHidden } from '@mantine/core';
import { IconLogout, IconUserCircle } from '@tabler/icons-react';
import { useRef } from 'react';
import { Link } from 'wouter';
import { useSession } from './session-context.ts';

/** Who is logged in, and the way out. */
export function UserMenu() {
  const { person, csrfToken } = useSession();
  const form = useRef<HTMLFormElement>(null);
  return (
    <>
      <form method="post" action="/logout" ref={form} hidden>
        <input type="hidden" name="_csrf" value={csrfToken} />
      </form>
      <Menu position="bottom-end" width={240}>
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
          <Menu.Item
            leftSection={<IconLogout size={16} aria-hidden />}
            onClick={() => form.current?.requestSubmit()}
          >
            Log out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
