import { fileURLToPath } from 'node:url';

/** Halves the CPU of a start of our programs; by content and version of Node, so it is never stale. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)),
};
