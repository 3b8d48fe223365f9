import { useMatches } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentProps } from 'react';
import { useLocation } from 'wouter';
import { lazyComponent, useLazyComponent } from '../components/lazy-component.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import type NavigationDrawer from './navigation-drawer.tsx';
import { Pages, type Routes } from './pages.tsx';
import { BusinessContext, useBusinessFromPath } from './session-context.ts';
import classes from './shell.module.css';
import { StatusBanner } from './status-banner.tsx';

type PhoneMenuProps = ComponentProps<typeof NavigationDrawer>;

const navigationDrawer = lazyComponent(() => import('./navigation-drawer.tsx'));

/** Layout of every page: header, navigation, banner. */
export function Shell({ routes }: { readonly routes: Routes }) {
  const [drawerOpened, drawer] = useDisclosure(false);
  const { business, navigationBusiness } = useBusinessFromPath();
  const [path] = useLocation();
  const isNarrow = useMatches({ base: true, sm: false }, { getInitialValueInEffect: false });
  return (
    <BusinessContext value={business}>
      <a className={classes.skip} href="#main">
        Skip to content
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
          <StatusBanner />
          <ErrorBoundary key={path}>
            <Pages routes={routes} />
          </ErrorBoundary>
        </main>
      </div>
    </BusinessContext>
  );
}

function PhoneMenu(props: PhoneMenuProps) {
  const Menu = useLazyComponent(navigationDrawer);
  return Menu === undefined ? null : <Menu {...props} />;
}
