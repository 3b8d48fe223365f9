import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** A page, loaded when it is first gone to. */
export interface PageRoute {
  /** Within a business, or within the dashboard; parameters by `useParams`. */
  readonly path: string;
  readonly page: LazyExoticComponent<ComponentType>;
}

/** Pages of a business: /dashboard/{businessId}/…. */
export const businessRoutes: readonly PageRoute[] = [
  { path: '/', page: lazy(() => import('./pages/overview/overview-page.tsx')) },
  { path: '/developers/keys', page: lazy(() => import('./pages/keys/keys-page.tsx')) },
  { path: '/developers/keys/new', page: lazy(() => import('./pages/keys/new-key-page.tsx')) },
  { path: '/developers/keys/:id', page: lazy(() => import('./pages/keys/key-page.tsx')) },
  { path: '/developers/apps', page: lazy(() => import('./pages/apps/apps-page.tsx')) },
  { path: '/developers/apps/new', page: lazy(() => import('./pages/apps/new-app-page.tsx')) },
  { path: '/developers/apps/:id', page: lazy(() => import('./pages/apps/app-page.tsx')) },
  { path: '/developers/requests', page: lazy(() => import('./pages/requests/requests-page.tsx')) },
  { path: '/developers/requests/:requestId', page: lazy(() => import('./pages/requests/request-page.tsx')) },
  { path: '/connected', page: lazy(() => import('./pages/connected/connected-page.tsx')) },
  { path: '/audit', page: lazy(() => import('./pages/audit/audit-page.tsx')) },
  { path: '/settings/business', page: lazy(() => import('./pages/business/business-page.tsx')) },
];

/** Pages of the person: /dashboard/…. */
export const personRoutes: readonly PageRoute[] = [
  { path: '/profile', page: lazy(() => import('./pages/profile/profile-page.tsx')) },
  { path: '/join', page: lazy(() => import('./pages/join/join-page.tsx')) },
];
