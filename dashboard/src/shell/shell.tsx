import { useMatches } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useLocation } from 'wouter';
import { codeOf, useCode } from '../parts/code.ts';
import { useAddressedBusiness } from './addressed-business.ts';
import { BusinessContext } from './business-context.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import { Pages } from './pages.tsx';
import classes from './shell.module.css';
import { StateBanner } from './state-banner.tsx';

const navigationDrawer = codeOf(() => import('./navigation-drawer.tsx'));

/** What surrounds every page. */
export function Shell() {
  const [drawerOpened, drawer] = useDisclosure(false);
  const { business, navigationBusiness } = useAddressedBusiness();
  const [path] = useLocation();
  const isNarrow = useMatches({ base: true, sm: false }, { getInitialValueInEffect: false });
  const NavigationDrawer = useCode(isNarrow ? navigationDrawer : undefined);
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
        {NavigationDrawer !== undefined && (
          <NavigationDrawer business={navigationBusiness} opened={drawerOpened} onClose={drawer.close} />
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
