import { Drawer } from '@mantine/core';
import type { OwnBusiness } from '../api/session.ts';
import { Navigation } from './navigation.tsx';
import classes from './navigation-drawer.module.css';

/** The navigation on a phone. The drawer keeps the focus until it is closed, and gives it back then. */
export function NavigationDrawer({
  business,
  opened,
  onClose,
}: {
  readonly business: OwnBusiness | undefined;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size="18rem"
      title="Menu"
      hiddenFrom="sm"
      classNames={{ body: classes.body ?? '' }}
      closeButtonProps={{ 'aria-label': 'Close the menu' }}
    >
      <nav aria-label="Dashboard" className={classes.nav}>
        <Navigation business={business} onNavigate={onClose} />
      </nav>
    </Drawer>
  );
}
