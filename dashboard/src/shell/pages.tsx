import { Button } from '@mantine/core';
import { IconBuildingStore, IconMapSearch } from '@tabler/icons-react';
import { Link, Redirect, Route, Switch } from 'wouter';
import { type LazyComponent, useLazyComponent } from '../components/lazy-component.ts';
import { EmptyState, PageSkeleton } from '../components/states.tsx';
import { PageHeader } from './page-header.tsx';
import { lastUsedBusiness, useCurrentBusiness, useSession } from './session-context.ts';

/** A page, loaded when it is first gone to. */
export interface PageRoute {
  /** Within a business, or within the dashboard; parameters by `useParams`. */
  readonly path: string;
  readonly component: LazyComponent;
}

/** Pages of a business, at /dashboard/{businessId}/…, and of the person, at /dashboard/…. */
export interface Routes {
  readonly business: readonly PageRoute[];
  readonly person: readonly PageRoute[];
}

/** A page, once its code is there. */
function LazyPage({ component }: { readonly component: LazyComponent }) {
  const Page = useLazyComponent(component);
  return Page === undefined ? <PageSkeleton /> : <Page />;
}

/** For people who belong to no business. */
function NoBusiness() {
  return (
    <>
      <PageHeader title="Welcome" />
      <EmptyState icon={IconBuildingStore} title="You belong to no business yet">
        Ask an owner of the business to invite you. The invitation comes by mail.
      </EmptyState>
    </>
  );
}

const texts = {
  business: {
    title: 'Business not found',
    lead: 'There is no such business among yours',
    text: 'It may not exist, or you do not belong to it. One of its owners can invite you.',
  },
  page: {
    title: 'Page not found',
    lead: 'There is nothing at this address',
    text: 'It may have been mistyped, or the page has moved.',
  },
} as const;

/** For addresses that lead nowhere. */
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
            Go to your dashboard
          </Button>
        }
      >
        {text}
      </EmptyState>
    </>
  );
}

/** The page that the address names. */
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
      <Route path="/:businessId" nest>
        <BusinessPages routes={routes.business} />
      </Route>
    </Switch>
  );
}

function BusinessPages({ routes }: { readonly routes: readonly PageRoute[] }) {
  const business = useCurrentBusiness();
  if (business === undefined) return <NotFound subject="business" />;
  return (
    // Nothing of one business's page is kept for another's.
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
