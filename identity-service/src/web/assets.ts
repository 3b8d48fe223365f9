import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type RequestHandler, Router } from 'express';

/** Content that is the same for the life of the process. */
interface FixedContent {
  /** Content type, or a file extension. */
  readonly type: string;
  readonly content: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const brotli = promisify(brotliCompress);

const deflate = promisify(gzip);

/** Encoders by content coding. */
const encoders = {
  // Quality 10 would save another 7 % of a large script in ten times the time.
  br: (content: Buffer) => brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content: Buffer) => deflate(content, { level: 9 }),
} as const;

type Coding = keyof typeof encoders;

const codings: readonly Coding[] = ['br', 'gzip'];

/**
 * Serves fixed content, compressed where the client accepts it. The first request for a coding compresses it, off the
 * event loop, so that the start of the service does not wait.
 */
export function serveContent({ type, content, headers = {} }: FixedContent): RequestHandler {
  const etag = `W/"${digestOf(content)}"`;
  const compressed = new Map<Coding, Promise<Buffer>>();
  const encoded = (coding: Coding): Promise<Buffer> => {
    const known = compressed.get(coding) ?? encoders[coding](content);
    compressed.set(coding, known);
    return known;
  };
  return async (req, res) => {
    const coding = codings.find((candidate) => req.acceptsEncodings(candidate));
    res.set({ ETag: etag, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache', ...headers }).type(type);
    if (coding !== undefined) res.set('Content-Encoding', coding);
    res.send(coding === undefined ? content : await encoded(coding));
  };
}

/** The same for content that the first request generates. */
export function serveGenerated(make: () => Promise<FixedContent>): RequestHandler {
  let handler: Promise<RequestHandler> | undefined;
  return async (req, res, next) => {
    handler ??= make().then(serveContent);
    return (await handler)(req, res, next);
  };
}

/** A short digest of content. */
function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

/** A file that a page loads. */
interface Asset {
  /** Changes with the content, so that browsers cache it permanently. */
  readonly path: string;
  readonly type: string;
  readonly content: Buffer;
}

/** An asset under a path such as `/assets`. @param type also its file extension */
export function createAsset(directory: string, name: string, type: string, content: Buffer): Asset {
  return { path: `${directory}/${name}-${digestOf(content)}.${type}`, type, content };
}

/** Serves assets at their paths. */
export function serveAssets(router: Router, assets: readonly Asset[]): Router {
  for (const { path, type, content } of assets) {
    const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' };
    router.get(path, serveContent({ type, content, headers }));
  }
  return router;
}

const read = (file: string) => readFileSync(new URL(file, import.meta.url));

const parts = ['colours', 'base', 'forms', 'consent', 'parts', 'phone'];

const styles = Buffer.concat(parts.map((part) => read(`./styles/${part}.css`)));

const stylesheet = createAsset('/assets', 'style', 'css', styles);

const icon = createAsset('/assets', 'icon', 'svg', read('./icon.svg'));

/** Paths of the stylesheet and the icon. */
export const stylesheetPath = stylesheet.path;

export const iconPath = icon.path;

/** GET /assets/…: the stylesheet and the icon. */
export function assetRoutes(): Router {
  return serveAssets(Router(), [stylesheet, icon]);
}
