import { useMatches } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Component, type ComponentProps, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { lazyComponent, useLazyComponent } from '../components/lazy-component.ts';
import { ErrorState } from '../components/states.tsx';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import type NavigationDrawer from './navigation-drawer.tsx';
import { PageHeader } from './page-header.tsx';
import { Pages, type Routes } from './pages.tsx';
import { BusinessContext, useBusinessFromPath } from './session-context.ts';
import classes from './shell.module.css';
import { StatusBanner } from './status-banner.tsx';

/** Shows an error in place of a page that fails to render, and keeps the navigation. */
class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <>
        <PageHeader title="Something went wrong" />
        <ErrorState error={error} retry={() => location.reload()} />
      </>
    );
  }
}

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
