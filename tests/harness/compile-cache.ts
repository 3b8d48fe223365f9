import { fileURLToPath } from 'node:url';

/** Halves the CPU time that our programs need to start. Keyed by content and version of Node, so it is never stale. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)),
};
