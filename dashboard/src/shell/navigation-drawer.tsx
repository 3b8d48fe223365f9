import { Drawer } from '@mantine/core';
import type { OwnBusiness } from '../api/session.ts';
import { useOpenAfterMount } from '../components/hooks.ts';
import { Navigation } from './navigation.tsx';
import classes from './navigation-drawer.module.css';

/** The navigation on a phone, which alone loads it. The drawer keeps the focus until it is closed, and gives it back then. */
export default function NavigationDrawer({
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
      opened={useOpenAfterMount(opened)}
      onClose={onClose}
      size="18rem"
      title="Menu"
      classNames={{ body: classes.body ?? '' }}
      closeButtonProps={{ 'aria-label': 'Close the menu' }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <nav aria-label="Dashboard" className={classes.nav}>
        <Navigation business={business} onNavigate={onClose} />
      </nav>
    </Drawer>
  );
}
