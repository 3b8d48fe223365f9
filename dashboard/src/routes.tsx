import { lazyComponent } from './components/lazy-component.ts';
import type { PageRoute, Routes } from './shell/pages.tsx';

/** Pages of a business: /dashboard/{businessId}/…. */
const businessRoutes: readonly PageRoute[] = [
  { path: '/', component: lazyComponent(() => import('./pages/overview/overview-page.tsx')) },
  { path: '/settings/developers/keys', component: lazyComponent(() => import('./pages/keys/keys-page.tsx')) },
  {
    path: '/settings/developers/keys/new',
    component: lazyComponent(() => import('./pages/keys/new-key-page.tsx')),
  },
  {
    path: '/settings/developers/keys/:id',
    component: lazyComponent(() => import('./pages/keys/key-page.tsx')),
  },
  { path: '/settings/developers/apps', component: lazyComponent(() => import('./pages/apps/apps-page.tsx')) },
  {
    path: '/settings/developers/apps/new',
    component: lazyComponent(() => import('./pages/apps/new-app-page.tsx')),
  },
  {
    path: '/settings/developers/apps/:id',
    component: lazyComponent(() => import('./pages/apps/app-page.tsx')),
  },
  {
    path: '/settings/developers/webhooks',
    component: lazyComponent(() => import('./pages/webhooks/webhooks-page.tsx')),
  },
  {
    path: '/settings/developers/requests',
    component: lazyComponent(() => import('./pages/requests/requests-page.tsx')),
  },
  {
    path: '/settings/developers/requests/:requestId',
    component: lazyComponent(() => import('./pages/requests/request-page.tsx')),
  },
  { path: '/sandbox', component: lazyComponent(() => import('./pages/sandbox/sandbox-page.tsx')) },
  { path: '/connected', component: lazyComponent(() => import('./pages/connected/connected-page.tsx')) },
  { path: '/audit', component: lazyComponent(() => import('./pages/audit/audit-page.tsx')) },
  {
    path: '/settings/business',
    component: lazyComponent(() => import('./pages/business/business-page.tsx')),
  },
];

/** Pages of the person: /dashboard/…. */
const personRoutes: readonly PageRoute[] = [
  { path: '/profile', component: lazyComponent(() => import('./pages/profile/profile-page.tsx')) },
  { path: '/notices', component: lazyComponent(() => import('./pages/notices/notices-page.tsx')) },
  {
    path: '/new-business',
    component: lazyComponent(() => import('./pages/join/new-business-page.tsx')),
  },
  { path: '/join', component: lazyComponent(() => import('./pages/join/join-page.tsx')) },
];

export const routes: Routes = { business: businessRoutes, person: personRoutes };
