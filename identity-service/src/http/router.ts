import { Router } from 'express';

/** A router that takes paths as they are written: no other case, no slash at the end. */
export function exactRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}
