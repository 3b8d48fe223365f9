import { Burger, Group } from '@mantine/core';
import { Link } from 'wouter';
import type { OwnBusiness } from '../api/session.ts';
import icon from '../icon.svg';
import { BusinessSwitcher } from './business-switcher.tsx';
import { ColourSchemeSwitch } from './colour-scheme-switch.tsx';
import classes from './header.module.css';
import { UserMenu } from './user-menu.tsx';

/** Along the top of every page. */
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
          aria-label="Open the menu"
          aria-expanded={drawerOpened}
        />
        <Link href="/" className={classes.brand ?? ''} aria-label="Business API, dashboard">
          <img src={icon} alt="" width={26} height={26} />
        </Link>
        <BusinessSwitcher business={business} />
      </Group>
      <Group gap={4} wrap="nowrap">
        <ColourSchemeSwitch />
        <UserMenu />
      </Group>
    </Group>
  );
}
