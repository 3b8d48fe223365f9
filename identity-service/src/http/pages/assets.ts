import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type express from 'express';
import { Router } from 'express';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const parts = ['colours', 'base', 'forms', 'consent', 'parts', 'phone'];
const stylesheet = asset('style', 'css', parts.map((part) => read(`./styles/${part}.css`)).join(''));
const icon = asset('icon', 'svg', read('./icon.svg'));

/** Where pages find the stylesheet and the icon. A name changes with its content, so that browsers may keep it for ever. */
export const stylesheetPath = stylesheet.path;
export const iconPath = icon.path;

/** GET /assets/…: what pages load. */
export function assetRoutes(): express.Router {
  const router = Router();
  for (const { path, type, content } of [stylesheet, icon]) {
    router.get(path, (_req, res) => {
      res.set('Cache-Control', 'public, max-age=31536000, immutable').type(type).send(content);
    });
  }
  return router;
}

function asset(name: string, type: string, content: string) {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/assets/${name}-${digest}.${type}`, type, content };
}
