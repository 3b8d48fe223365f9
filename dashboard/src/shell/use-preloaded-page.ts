import { useEffect } from 'react';
import { matchRoute, useLocation, useRouter } from 'wouter';
import { businessRoutes, personRoutes } from '../routes.tsx';

const ofBusinesses = businessRoutes.map(({ path, code }) => ({ path: `/:businessId${path}`, code }));
const routes = [...personRoutes, ...ofBusinesses];

/** Begins to load the page that the address names, while it is still asked who looks at it. */
export function usePreloadedPage(): void {
  const [path] = useLocation();
  const { parser } = useRouter();
  useEffect(() => {
    const route = routes.find((each) => matchRoute(parser, each.path, path)[0]);
    // What fails now is tried again, and said, when the page is shown.
    route?.code.load().catch(() => undefined);
  }, [path, parser]);
}
