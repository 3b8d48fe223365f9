import { afterAll, beforeAll } from '@jest/globals';

interface Closable {
  close(): unknown;
}

/** Of this test file, in the order of their start. */
const started: Closable[] = [];

/**
 * Shares a resource among the tests of a file or a `describe`: `const platform = running(startPlatform)`. It exists from
 * before the first test until after the last. Several resources are closed in the reverse order of their start.
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
