import { Drawer } from '@mantine/core';
import type { OwnBusiness } from '../api/session.ts';
import { useOpenAfterMount } from '../components/hooks.ts';
import { Navigation } from './navigation.tsx';
import classes from './navigation-drawer.module.css';

/** The navigation on a phone, loaded on narrow screens only. Traps the focus and returns it on close. */
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
      closeButtonProps={{ 'aria-label': 'Close menu' }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <nav aria-label="Dashboard" className={classes.nav}>
        <Navigation business={business} onNavigate={onClose} />
      </nav>
    </Drawer>
  );
}
