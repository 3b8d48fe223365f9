import {
  ActionIcon,
  Avatar,
  Burger,
  Button,
  Group,
  type MantineColorScheme,
  Menu,
  Text,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import {
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSelector,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import type { OwnBusiness } from '../api/session.ts';
import icon from '../icon.svg';
import classes from './header.module.css';
import { NoticeBell } from './notice-bell.tsx';
import { logOut, useSession } from './session-context.ts';

/** Account menu: profile and logout. */
function UserMenu() {
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

/** Shows the business, switches to the same section of another one, and leads to the creation of one. */
function BusinessSwitcher({ business }: { readonly business: OwnBusiness | undefined }) {
  const { businesses } = useSession();
  const [location, navigate] = useLocation();
  if (business === undefined) return null;
  const switchTo = (id: string) => navigate(`/${id}${sectionOf(location)}`);
  return (
    <Menu withinPortal={false} position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          px="xs"
          c="var(--mantine-color-text)"
          rightSection={<IconSelector size={16} aria-hidden />}
          aria-label={`Business: ${business.name}. Switch business`}
        >
          <Text span inherit lh={1.5} truncate maw="min(16rem, 38vw)" title={business.name}>
            {business.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Businesses</Menu.Label>
        <div className={classes.businesses}>
          <Menu.RadioGroup value={business.id} onChange={switchTo}>
            {businesses.map(({ id, name, username, isSandbox }) => (
              <Menu.RadioItem key={id} value={id} closeMenuOnClick>
                <Text size="sm" truncate title={name}>
                  {name}
                </Text>
                <Text size="xs" c="dimmed" truncate>
                  {isSandbox ? 'Sandbox for tests' : username}
                </Text>
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} href="/new-business" leftSection={<IconPlus size={16} aria-hidden />}>
          Create a business or a sandbox
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Section of a path, without ids, which belong to one business only. */
function sectionOf(path: string): string {
  return /^\/\d+(\/settings\/(?:developers\/)?[^/]+|\/[^/]+)?/.exec(path)?.[1] ?? '';
}

const schemes = [
  { scheme: 'light', label: 'Light', icon: IconSun },
  { scheme: 'dark', label: 'Dark', icon: IconMoon },
  { scheme: 'auto', label: 'System', icon: IconDeviceDesktop },
] as const satisfies readonly { scheme: MantineColorScheme; label: string; icon: unknown }[];

function ColourSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = schemes.find(({ scheme }) => scheme === colorScheme) ?? schemes[2];
  const choose = (value: string) => {
    const chosen = schemes.find(({ scheme }) => scheme === value);
    if (chosen !== undefined) setColorScheme(chosen.scheme);
  };
  return (
    <Menu withinPortal={false} position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={`Color scheme: ${current.label.toLowerCase()}`}
        >
          <current.icon size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={colorScheme} onChange={choose}>
          {schemes.map(({ scheme, label, icon: Icon }) => (
            <Menu.RadioItem
              key={scheme}
              value={scheme}
              closeMenuOnClick
              rightSection={<Icon size={16} aria-hidden />}
            >
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

export function Header({
  business,
  drawerOpened,
  openDrawer,
}: {
  readonly business: OwnBusiness | undefined;
  readonly drawerOpened: boolean;
  readonly openDrawer: () => void;
}) {
  return (
    <Group className={classes.bar} justify="space-between" wrap="nowrap" gap="sm">
      <Group gap="sm" wrap="nowrap" miw={0}>
        <Burger
          opened={drawerOpened}
          onClick={openDrawer}
          hiddenFrom="sm"
          size="sm"
          aria-label="Open menu"
          aria-expanded={drawerOpened}
        />
        <Link href="/" className={classes.brand ?? ''} aria-label="Business API, dashboard">
          <img src={icon} alt="" width={26} height={26} />
        </Link>
        <BusinessSwitcher business={business} />
      </Group>
      <Group gap={4} wrap="nowrap">
        <NoticeBell />
        <ColourSchemeSwitch />
        <UserMenu />
      </Group>
    </Group>
  );
}
