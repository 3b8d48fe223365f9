import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type express from 'express';
import { Router } from 'express';

const parts = ['colours', 'base', 'forms', 'parts', 'phone'];
const stylesheet = parts
  .map((part) => readFileSync(new URL(`./styles/${part}.css`, import.meta.url), 'utf8'))
  .join('');
const digest = createHash('sha256').update(stylesheet).digest('hex').slice(0, 16);
const name = `style-${digest}.css`;

/** Where pages find the stylesheet. The name changes with its content, so that browsers may keep it for ever. */
export const stylesheetPath = `/assets/${name}`;

/** GET /assets/…: what pages load. */
export function assetRoutes(): express.Router {
  return Router().get(`/assets/${name}`, (_req, res) => {
    res.set('Cache-Control', 'public, max-age=31536000, immutable').type('css').send(stylesheet);
  });
}
