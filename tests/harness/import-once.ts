type IdentityProgram = typeof import('./identity-program.ts');

/** Set by process-environment.ts. */
declare global {
  var importOutsideJest: ((url: string) => Promise<IdentityProgram>) | undefined;
}

/**
 * Imports identity-program.ts outside jest, once per worker: among jest's modules each test file would load and compile
 * hundreds again. Its classes are not those of the test, so `instanceof` says nothing about them.
 */
export const importIdentityProgram = (): Promise<IdentityProgram> =>
  globalThis.importOutsideJest?.(new URL('identity-program.ts', import.meta.url).href) ??
  import('./identity-program.ts');
