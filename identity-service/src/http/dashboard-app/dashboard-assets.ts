import express, { type RequestHandler, Router } from 'express';
import sirv from 'sirv';
import type { BuiltDashboard } from './built-dashboard.ts';

/** Seconds for which browsers keep a file: its name changes with its content. */
const maxAge = 31_536_000;

/** GET /dashboard/assets/…: what the dashboard's page loads, compressed in advance, for everybody. */
export function dashboardAssets({ assets }: BuiltDashboard): express.Router {
  const router = Router();
  const serve: RequestHandler = sirv(assets, { brotli: true, gzip: true, maxAge, immutable: true });
  router.use('/dashboard/assets', ownHeaders, surviveLostFiles, serve, (_req, res) => {
    res.status(404).set('Cache-Control', 'no-store').type('text').send('There is no such file.\n');
  });
  return router;
}

/** Parts are not sent, and what is said for every other answer is not true of files. */
const ownHeaders: RequestHandler = (req, res, next) => {
  delete req.headers.range;
  res.removeHeader('Cache-Control');
  next();
};

/** sirv leaves the errors of what it reads to nobody: a file that has vanished since the start would end the process. */
const surviveLostFiles: RequestHandler = (_req, res, next) => {
  res.once('pipe', (file) => file.once('error', () => res.destroy()));
  next();
};
