import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ClientPlatform, startClientPlatform } from '../harness/client-platform.ts';
import { runInTerminal } from '../harness/connect-programs.ts';
import { connectedFacts } from '../harness/connected-facts.ts';
import { type SecurePlatform, startSecurePlatform } from '../harness/secure-platform.ts';

/* Programs of the guide "Connect with a library" for Python, with its libraries as Debian ships them. */

/** oauthlib takes none with http. */
const redirectUri = 'https://app.example/callback';

let platform: SecurePlatform;
let world: ClientPlatform;
beforeAll(async () => {
  platform = await startSecurePlatform();
  world = await startClientPlatform({ platform, redirectUris: [redirectUri] });
});
afterAll(() => platform?.close());

describe.each(['Authlib', 'requests-oauthlib'])('the program for %s', (section) => {
  const run = (visit: (url: string) => Promise<URL>) =>
    runInTerminal(section, { platform, application: { ...world.application, redirectUri } }, visit);

  test('connects, calls the API, refreshes and revokes', async () => {
    const business = `Business ${world.businessId}`;
    expect(await run(world.visit)).toEqual({ lines: [business, business, 'Revoked'] });
    expect(await connectedFacts(platform, world.application.id)).toEqual({
      ended: 'revoked',
      pairs: 2,
      keys: 1,
    });
  });

  test('stops at a denial', async () => {
    const { lines, error } = await run((url) => world.visit(url, 'deny'));
    expect([lines, error]).toEqual([[''], expect.stringMatching(/access_denied|denied/i)]);
  });

  test.each(['state', 'iss'])('stops at a callback with another %s', async (name) => {
    const { lines, error } = await run(async (url) => {
      const callback = await world.visit(url);
      callback.searchParams.set(name, 'https://elsewhere.example');
      return callback;
    });
    expect([lines, error]).toEqual([[''], expect.stringMatching(/mismatching_state|not the callback/)]);
  });
});
