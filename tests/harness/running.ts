import { afterAll, beforeAll } from '@jest/globals';

interface Closable {
  close(): unknown;
}

/** Of this test file, in the order of their start. */
const started: Closable[] = [];

/**
 * What the tests of a file, or of a `describe`, have in common: `const platform = running(startPlatform)`. It is there from
 * before the first of them until after the last. Several are closed in the opposite order of their start.
 */
export function running<Thing extends Closable>(start: () => Thing | Promise<Thing>): Thing {
  const thing: Thing = Object.create(null);
  beforeAll(async () => {
    const begun = await start();
    started.push(begun);
    Object.defineProperties(thing, Object.getOwnPropertyDescriptors(begun));
  });
  afterAll(async () => void (await started.pop()?.close()));
  return thing;
}
