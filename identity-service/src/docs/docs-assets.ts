import { readFileSync } from 'node:fs';
import { createAsset } from '../web/assets.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url));

const readLibrary = (file: string) => read(import.meta.resolve(`swagger-ui-dist/${file}`));

const create = (name: string, type: string, content: Buffer) =>
  createAsset('/docs/assets', name, type, content);

const readParts = (directory: string, parts: readonly string[]) =>
  Buffer.concat(parts.map((part) => read(`./${directory}/${part}.css`)));

const referenceParts = ['frame', 'text', 'operations', 'answers', 'forms', 'schemas', 'phone'];

/** What the pages of the documentation load, beside the stylesheet of every page. */
export const docsAssets = {
  style: create('docs', 'css', readParts('styles', ['frame', 'text', 'phone'])),
  library: create('swagger-ui', 'js', readLibrary('swagger-ui-bundle.js')),
  libraryStyle: create('swagger-ui', 'css', readLibrary('swagger-ui.css')),
  reference: create('reference', 'js', read('./reference/reference.js')),
  referenceStyle: create('reference', 'css', readParts('reference', referenceParts)),
};
