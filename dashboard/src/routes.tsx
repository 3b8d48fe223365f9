import { codeOf } from './components/lazy-component.ts';
import type { PageRoute, Routes } from './shell/pages.tsx';

/** Pages of a business: /dashboard/{businessId}/…. */
const businessRoutes: readonly PageRoute[] = [
  { path: '/', code: codeOf(() => import('./pages/overview/overview-page.tsx')) },
  { path: '/developers/keys', code: codeOf(() => import('./pages/keys/keys-page.tsx')) },
  { path: '/developers/keys/new', code: codeOf(() => import('./pages/keys/new-key-page.tsx')) },
  { path: '/developers/keys/:id', code: codeOf(() => import('./pages/keys/key-page.tsx')) },
  { path: '/developers/apps', code: codeOf(() => import('./pages/apps/apps-page.tsx')) },
  { path: '/developers/apps/new', code: codeOf(() => import('./pages/apps/new-app-page.tsx')) },
  { path: '/developers/apps/:id', code: codeOf(() => import('./pages/apps/app-page.tsx')) },
  { path: '/developers/requests', code: codeOf(() => import('./pages/requests/requests-page.tsx')) },
  {
    path: '/developers/requests/:requestId',
    code: codeOf(() => import('./pages/requests/request-page.tsx')),
  },
  { path: '/connected', code: codeOf(() => import('./pages/connected/connected-page.tsx')) },
  { path: '/audit', code: codeOf(() => import('./pages/audit/audit-page.tsx')) },
  { path: '/settings/business', code: codeOf(() => import('./pages/business/business-page.tsx')) },
];

/** Pages of the person: /dashboard/…. */
const personRoutes: readonly PageRoute[] = [
  { path: '/profile', code: codeOf(() => import('./pages/profile/profile-page.tsx')) },
  { path: '/join', code: codeOf(() => import('./pages/join/join-page.tsx')) },
];

export const routes: Routes = { business: businessRoutes, person: personRoutes };
