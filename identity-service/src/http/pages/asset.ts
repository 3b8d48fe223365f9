import type { Router } from 'express';
import { digestOf, fixedAnswer } from '../fixed-answer.ts';

/** What a page loads. */
export interface Asset {
  /** Changes with the content, so that browsers may keep it for ever. */
  readonly path: string;
  readonly type: string;
  readonly content: Buffer;
}

/** An asset in a directory of paths, such as `/assets`. @param type its extension as well */
export function createAsset(directory: string, name: string, type: string, content: Buffer): Asset {
  return { path: `${directory}/${name}-${digestOf(content)}.${type}`, type, content };
}

/** Serves assets at their paths. */
export function serveAssets(router: Router, assets: readonly Asset[]): Router {
  for (const { path, type, content } of assets) {
    const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' };
    router.get(path, fixedAnswer({ type, content, headers }));
  }
  return router;
}
