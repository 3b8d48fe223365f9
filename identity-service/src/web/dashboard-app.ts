import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveFiles } from '@platform/service-kit/http/static.ts';
import { type RequestHandler, Router } from 'express';
import { requirePerson } from '../sessions/browser-session.ts';
import { contentSecurityPolicy, exactRouter } from './app.ts';
import { html } from './html.ts';
import { handle } from './pages.ts';

/** The output of `npm run build`. */
interface BuiltDashboard {
  /** Directory of the page's files. */
  readonly assets: string;
  /** The page, with `noncePlace` for the nonce of its styles. */
  readonly page: string;
}

/** Placeholder of the nonce in dashboard/index.html. */
const noncePlace = '__STYLE_NONCE__';

/** The dashboard of a directory; undefined without one. */
export function readDashboard(directory: string): BuiltDashboard | undefined {
  try {
    const page = readFileSync(join(directory, 'index.html'), 'utf8');
    return { assets: join(directory, 'assets'), page };
  } catch {
    return undefined;
  }
}

/** GET /dashboard and every path below: one page for logged-in people, with client-side routes. */
export function dashboardPages(dashboard: BuiltDashboard | undefined): Router {
  const router = exactRouter();
  router.get(
    '/',
    handle(() => ({ redirect: '/dashboard' })),
  );
  router.get(
    ['/dashboard', '/dashboard/', '/dashboard/*rest'],
    requirePerson,
    dashboard === undefined ? notBuilt : sendDashboard(dashboard),
  );
  return router;
}

function sendDashboard({ page }: BuiltDashboard): RequestHandler {
  return (_req, res) => {
    const nonce = randomBytes(16).toString('base64');
    res.set('Content-Security-Policy', policyOf(nonce)).type('html').send(page.replaceAll(noncePlace, nonce));
  };
}

/** Own scripts only; styles that components add at run time carry the nonce. */
function policyOf(nonce: string): string {
  return contentSecurityPolicy({
    'script-src': "'self'",
    'style-src': `'self' 'nonce-${nonce}'`,
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
  });
}

/** Local mode only: elsewhere the service does not start without a build. */
const notBuilt = handle(() => ({
  status: 503,
  page: {
    title: 'The dashboard is not built',
    body: html`<p>Run <code>npm run build</code> and start identity-service again.</p>`,
  },
}));

/** GET /dashboard/assets/…: files of the page, compressed by the build; no login. */
export function dashboardAssets({ assets }: BuiltDashboard): Router {
  return Router().use('/dashboard/assets', serveFiles(assets));
}
