import { Button, Menu, Text } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import type { OwnBusiness } from '../api/session.ts';
import classes from './business-switcher.module.css';
import { useSession } from './session-context.ts';

/** Shows the business, and goes to the same part of another one. */
export function BusinessSwitcher({ business }: { readonly business: OwnBusiness | undefined }) {
  const { businesses } = useSession();
  const [location, navigate] = useLocation();
  if (business === undefined) return null;
  const goTo = (id: string) => navigate(`/${id}${sectionOf(location)}`);
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
        <div className={classes.list}>
          <Menu.RadioGroup value={business.id} onChange={goTo}>
            {businesses.map(({ id, name, username }) => (
              <Menu.RadioItem key={id} value={id} closeMenuOnClick>
                <Text size="sm" truncate title={name}>
                  {name}
                </Text>
                <Text size="xs" c="dimmed" truncate>
                  {username}
                </Text>
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </div>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Part of the dashboard that an address is in: what it names by id belongs to one business only. */
export function sectionOf(path: string): string {
  return /^\/\d+(\/(?:developers|settings)\/[^/]+|\/[^/]+)?/.exec(path)?.[1] ?? '';
}
