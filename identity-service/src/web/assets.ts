import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type RequestHandler, Router } from 'express';

/** Bytes that stay the same as long as the service runs. */
interface FixedContent {
  /** Content type, or an extension that stands for one. */
  readonly type: string;
  readonly content: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const brotli = promisify(brotliCompress);

const deflate = promisify(gzip);

/** By the name of the coding, best first. */
const encoders = {
  // One step further would save 7 % of a large script and take ten times as long.
  br: (content: Buffer) => brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content: Buffer) => deflate(content, { level: 9 }),
} as const;

type Coding = keyof typeof encoders;

const codings: readonly Coding[] = ['br', 'gzip'];

/**
 * Answers with the same bytes each time, compressed where the caller takes it. Compressed is when the first one asks, off
 * the event loop, and kept: the start of the service does not wait for it.
 */
export function fixedAnswer({ type, content, headers = {} }: FixedContent): RequestHandler {
  const etag = `W/"${digestOf(content)}"`;
  const kept = new Map<Coding, Promise<Buffer>>();
  const encoded = (coding: Coding): Promise<Buffer> => {
    const known = kept.get(coding) ?? encoders[coding](content);
    kept.set(coding, known);
    return known;
  };
  return async (req, res) => {
    const coding = codings.find((candidate) => req.acceptsEncodings(candidate));
    res.set({ ETag: etag, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache', ...headers }).type(type);
    if (coding !== undefined) res.set('Content-Encoding', coding);
    res.send(coding === undefined ? content : await encoded(coding));
  };
}

/** The same, for content that is made when the first one asks: the start of the service does not wait for that either. */
export function lateAnswer(make: () => Promise<FixedContent>): RequestHandler {
  let answer: Promise<RequestHandler> | undefined;
  return async (req, res, next) => {
    answer ??= make().then(fixedAnswer);
    return (await answer)(req, res, next);
  };
}

/** A short name for content: another one for every other content. */
function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

/** What a page loads. */
interface Asset {
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
