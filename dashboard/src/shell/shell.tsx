import { useMatches } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentProps } from 'react';
import { useLocation } from 'wouter';
import { codeOf, useCode } from '../parts/code.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import type NavigationDrawer from './navigation-drawer.tsx';
import { Pages } from './pages.tsx';
import { BusinessContext, useAddressedBusiness } from './session-context.ts';
import classes from './shell.module.css';
import { StateBanner } from './state-banner.tsx';

type PhoneMenuProps = ComponentProps<typeof NavigationDrawer>;

const navigationDrawer = codeOf(() => import('./navigation-drawer.tsx'));

/** What surrounds every page. */
export function Shell() {
  const [drawerOpened, drawer] = useDisclosure(false);
  const { business, navigationBusiness } = useAddressedBusiness();
  const [path] = useLocation();
  const isNarrow = useMatches({ base: true, sm: false }, { getInitialValueInEffect: false });
  return (
    <BusinessContext value={business}>
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <div className={classes.shell}>
        <header className={classes.header}>
          <Header business={navigationBusiness} drawerOpened={drawerOpened} openDrawer={drawer.open} />
        </header>
        <nav className={classes.navigation} aria-label="Dashboard">
          <div className={classes.entries}>
            <Navigation business={navigationBusiness} />
          </div>
        </nav>
        {isNarrow && (
          <ErrorBoundary>
            <PhoneMenu business={navigationBusiness} opened={drawerOpened} onClose={drawer.close} />
          </ErrorBoundary>
        )}
        <main id="main" tabIndex={-1} className={classes.main}>
          <StateBanner />
          <ErrorBoundary key={path}>
            <Pages />
          </ErrorBoundary>
        </main>
      </div>
    </BusinessContext>
  );
}

function PhoneMenu(props: PhoneMenuProps) {
  const Menu = useCode(navigationDrawer);
  return Menu === undefined ? null : <Menu {...props} />;
}
