import { randomBytes } from 'node:crypto';
import type { RequestHandler, Router } from 'express';
import { handle } from '../answer.ts';
import { html } from '../pages/html.ts';
import { requirePerson } from '../require-person.ts';
import { exactRouter } from '../router.ts';
import { contentSecurityPolicy } from '../security-headers.ts';
import { type BuiltDashboard, noncePlace } from './built-dashboard.ts';

/** GET /dashboard and everything below it is one page, for people who are logged in; the address decides what it shows. */
export function dashboardPages(dashboard: BuiltDashboard | undefined): Router {
  const router = exactRouter();
  router.get(
    '/',
    handle(() => ({ redirect: '/dashboard' })),
  );
  router.get(
    ['/dashboard', '/dashboard/', '/dashboard/*rest'],
    requirePerson,
    dashboard === undefined ? notBuilt : sendPage(dashboard),
  );
  return router;
}

function sendPage({ page }: BuiltDashboard): RequestHandler {
  return (_req, res) => {
    const nonce = randomBytes(16).toString('base64');
    res.set('Content-Security-Policy', policyOf(nonce)).type('html').send(page.replaceAll(noncePlace, nonce));
  };
}

/** Own scripts and nothing else; styles that components add while they run carry the nonce. */
function policyOf(nonce: string): string {
  return contentSecurityPolicy({
    'script-src': "'self'",
    'style-src': `'self' 'nonce-${nonce}'`,
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
  });
}

/** In local mode only: elsewhere the service does not start without it. */
const notBuilt = handle(() => ({
  status: 503,
  page: {
    title: 'The dashboard is not built',
    body: html`<p>Run <code>npm run build</code> and start identity-service again.</p>`,
  },
}));
