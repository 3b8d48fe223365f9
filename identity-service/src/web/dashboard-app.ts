import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentSecurityPolicy } from '@platform/service-kit/http/security-headers.ts';
import express, { type RequestHandler, Router } from 'express';
import sirv from 'sirv';
import { exactRouter } from './app.ts';
import { html } from './html.ts';
import { handle } from './pages.ts';
import { requirePerson } from './sessions/browser-session.ts';

/** The dashboard as `npm run build` left it. */
interface BuiltDashboard {
  /** Directory of what its page loads. */
  readonly assets: string;
  /** The page; the nonce of its styles goes where `noncePlace` stands. */
  readonly page: string;
}

/** Placeholder of the nonce in dashboard/index.html. */
const noncePlace = '__STYLE_NONCE__';

/** The dashboard in a directory; undefined where there is none. */
export function readDashboard(directory: string): BuiltDashboard | undefined {
  try {
    const page = readFileSync(join(directory, 'index.html'), 'utf8');
    return { assets: join(directory, 'assets'), page };
  } catch {
    return undefined;
  }
}

/** GET /dashboard, /operators and everything below them is one page, for people who are logged in; the address decides what it shows. */
export function dashboardPages(dashboard: BuiltDashboard | undefined): Router {
  const router = exactRouter();
  router.get(
    ['/dashboard', '/dashboard/*rest', '/operators', '/operators/*rest'],
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

/** Content-Security-Policy: only our own scripts. Styles that components add at runtime carry the nonce. */
function policyOf(nonce: string): string {
  return contentSecurityPolicy({
    'script-src': "'self'",
    'style-src': `'self' 'nonce-${nonce}'`,
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
  });
}

/** Page in place of a dashboard that is not built. In local mode only: elsewhere the service requires the dashboard. */
const notBuilt = handle(() => ({
  status: 503,
  page: {
    title: 'The dashboard is not built',
    body: html`<p>Run <code>npm run build</code> and start identity-service again.</p>`,
  },
}));

/** Seconds for which browsers keep a file: its name changes with its content. */
const maxAge = 31_536_000;

/** GET /dashboard/assets/…: files of the dashboard, compressed in advance; public. */
export function dashboardAssets({ assets }: BuiltDashboard): express.Router {
  const router = Router();
  const serve: RequestHandler = sirv(assets, { brotli: true, gzip: true, maxAge, immutable: true });
  router.use('/dashboard/assets', ownHeaders, surviveLostFiles, serve, (_req, res) => {
    res.status(404).set('Cache-Control', 'no-store').type('text').send('There is no such file.\n');
  });
  return router;
}

/** Ranges are not served, and Cache-Control of pages does not fit files. */
const ownHeaders: RequestHandler = (req, res, next) => {
  delete req.headers.range;
  res.removeHeader('Cache-Control');
  next();
};

/** sirv does not handle errors of its read streams: a file deleted after the start would end the process. */
const surviveLostFiles: RequestHandler = (_req, res, next) => {
  res.once('pipe', (file) => file.once('error', () => res.destroy()));
  next();
};
