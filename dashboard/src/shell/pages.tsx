import { Button } from '@mantine/core';
import { IconBuildingStore, IconMapSearch, IconShieldLock } from '@tabler/icons-react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { OwnBusiness } from '../api/session.ts';
import { type LazyComponent, useLazyComponent } from '../components/lazy-component.ts';
import { EmptyState, PageSkeleton } from '../components/states.tsx';
import { PageHeader } from './page-header.tsx';
import { lacksSecondFactor, lastUsedBusiness, useCurrentBusiness, useSession } from './session-context.ts';

/** A page, loaded on first visit. */
export interface PageRoute {
  /** Pattern of the path, relative to its group in Routes. */
  readonly path: string;
  readonly component: LazyComponent;
}

/** Pages of a business, at /dashboard/{businessId}/…, and of the person, at /dashboard/…. */
export interface Routes {
  readonly business: readonly PageRoute[];
  readonly person: readonly PageRoute[];
}

function LazyPage({ component }: { readonly component: LazyComponent }) {
  const Page = useLazyComponent(component);
  return Page === undefined ? <PageSkeleton /> : <Page />;
}

function NoBusiness() {
  return (
    <>
      <PageHeader title="Welcome" />
      <EmptyState
        icon={IconBuildingStore}
        title="You are not a member of a business"
        action={
          <Button component={Link} href="/new-business">
            Create a business
          </Button>
        }
      >
        Create your own, or ask an owner of another one to invite you by email.
      </EmptyState>
    </>
  );
}

const texts = {
  business: {
    title: 'Business not found',
    lead: 'You have no access to this business',
    text: 'It may not exist, or you are not a member. An owner can invite you.',
  },
  page: {
    title: 'Page not found',
    lead: 'This page does not exist',
    text: 'Check the address, or start from your dashboard.',
  },
} as const;

function NotFound({ subject }: { readonly subject: keyof typeof texts }) {
  const { title, lead, text } = texts[subject];
  return (
    <>
      <PageHeader title={title} />
      <EmptyState
        icon={IconMapSearch}
        title={lead}
        action={
          <Button component={Link} href="~/dashboard" variant="default">
            Go to dashboard
          </Button>
        }
      >
        {text}
      </EmptyState>
    </>
  );
}

/** Renders the page of the current path. */
export function Pages({ routes }: { readonly routes: Routes }) {
  const { businesses } = useSession();
  const first = lastUsedBusiness(businesses);
  return (
    <Switch>
      <Route path="/">
        {first === undefined ? <NoBusiness /> : <Redirect to={`/${first.id}`} replace />}
      </Route>
      {routes.person.map(({ path, component: code }) => (
        <Route key={path} path={path}>
          <LazyPage component={code} />
        </Route>
      ))}
      <Route path="/settings/*?">
        {first === undefined ? <NoBusiness /> : <WithBusiness businessId={first.id} />}
      </Route>
      <Route path="/:businessId" nest>
        <BusinessPages routes={routes.business} />
      </Route>
    </Switch>
  );
}

/** A link of a program or a document, which does not know the business: leads to that page of the one last used. */
function WithBusiness({ businessId }: { readonly businessId: string }) {
  const [path] = useLocation();
  return <Redirect to={`/${businessId}${path}${location.search}`} replace />;
}

/** Replaces every page of a business that requires a second factor, for a person without one. */
function FactorMissing({ business: { name } }: { readonly business: OwnBusiness }) {
  return (
    <>
      <PageHeader title="A second factor is required" />
      <EmptyState
        icon={IconShieldLock}
        title={`${name} requires a second factor, and you have none`}
        action={
          <Button component={Link} href="~/dashboard/profile">
            Open your profile
          </Button>
        }
      >
        Turn on the authenticator app, or add a passkey, in your profile. You have access again at once. Your
        role is kept, and API keys and connected apps keep working.
      </EmptyState>
    </>
  );
}

function BusinessPages({ routes }: { readonly routes: readonly PageRoute[] }) {
  const business = useCurrentBusiness();
  const session = useSession();
  if (business === undefined) return <NotFound subject="business" />;
  if (lacksSecondFactor(session, business)) return <FactorMissing business={business} />;
  return (
    // The key resets all state when the business changes.
    <Switch key={business.id}>
      {routes.map(({ path, component: code }) => (
        <Route key={path} path={path}>
          <LazyPage component={code} />
        </Route>
      ))}
      <Route>
        <NotFound subject="page" />
      </Route>
    </Switch>
  );
}
