import { readFileSync } from 'node:fs';
import {
  digestOf,
  immutable,
  respondWithFile,
  type StaticFile,
  staticFile,
} from '@platform/service-kit/http/static.ts';
import { type RequestHandler, Router } from 'express';

/** A file that pages load, at a path that changes with its content. */
interface Asset {
  readonly path: string;
  readonly file: StaticFile;
}

function createAsset(name: string, type: string, content: Buffer): Asset {
  const path = `/assets/${name}-${digestOf(content)}.${type}`;
  return { path, file: staticFile({ name: path, content, headers: immutable }) };
}

const read = (file: string) => readFileSync(new URL(file, import.meta.url));

/** The documentation begins with the same two. */
const shared = ['colours', 'base'].map((part) =>
  import.meta.resolve(`@platform/service-kit/styles/${part}.css`),
);

const own = ['base', 'forms', 'consent', 'parts', 'promises', 'phone'].map((part) => `./styles/${part}.css`);

const styles = Buffer.concat([...shared, ...own].map(read));

const stylesheet = createAsset('style', 'css', styles);

const icon = createAsset('icon', 'svg', read('./icon.svg'));

/** Path of the package's bundle for browsers. Its `exports` list the modules only. */
const webauthn = new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser'));

const passkeyScript = createAsset(
  'passkey',
  'js',
  Buffer.concat([readFileSync(webauthn), Buffer.from('\n'), read('./passkey.js')]),
);

/** Where pages find the stylesheet and the icon. */
export const stylesheetPath = stylesheet.path;

export const iconPath = icon.path;

/** Script of forms that log in with a passkey. */
export const passkeyScriptPath = passkeyScript.path;

/** GET /assets/…: what pages load. */
export function assetRoutes(): Router {
  const router = Router();
  for (const { path, file } of [stylesheet, icon, passkeyScript]) router.get(path, send(file));
  return router;
}

function send(file: StaticFile): RequestHandler {
  return async (req, res) => {
    const { status, headers, body } = await respondWithFile(file, req);
    res.status(status).set(headers).end(body);
  };
}
