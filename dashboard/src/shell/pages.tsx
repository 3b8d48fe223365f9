import { Redirect, Route, Switch } from 'wouter';
import { businessRoutes, personRoutes } from '../routes.tsx';
import { LoadedPage } from './loaded-page.tsx';
import { NoBusiness } from './no-business.tsx';
import { NotFound } from './not-found.tsx';
import { lastUsed, useCurrentBusiness, useSession } from './session-context.ts';

/** The page that the address names. */
export function Pages() {
  const { businesses } = useSession();
  const first = lastUsed(businesses);
  return (
    <Switch>
      <Route path="/">
        {first === undefined ? <NoBusiness /> : <Redirect to={`/${first.id}`} replace />}
      </Route>
      {personRoutes.map(({ path, code }) => (
        <Route key={path} path={path}>
          <LoadedPage code={code} />
        </Route>
      ))}
      <Route path="/:businessId" nest>
        <BusinessPages />
      </Route>
    </Switch>
  );
}

function BusinessPages() {
  const business = useCurrentBusiness();
  if (business === undefined) return <NotFound what="business" />;
  return (
    // Nothing of one business's page is kept for another's.
    <Switch key={business.id}>
      {businessRoutes.map(({ path, code }) => (
        <Route key={path} path={path}>
          <LoadedPage code={code} />
        </Route>
      ))}
      <Route>
        <NotFound what="page" />
      </Route>
    </Switch>
  );
}
