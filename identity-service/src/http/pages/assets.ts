import { readFileSync } from 'node:fs';
import { Router } from 'express';
import { createAsset, serveAssets } from './asset.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url));
const parts = ['colours', 'base', 'forms', 'consent', 'parts', 'phone'];
const styles = Buffer.concat(parts.map((part) => read(`./styles/${part}.css`)));
const stylesheet = createAsset('/assets', 'style', 'css', styles);
const icon = createAsset('/assets', 'icon', 'svg', read('./icon.svg'));

/** Where pages find the stylesheet and the icon. */
export const stylesheetPath = stylesheet.path;
export const iconPath = icon.path;

/** GET /assets/…: what pages load. */
export function assetRoutes(): Router {
  return serveAssets(Router(), [stylesheet, icon]);
}
