import { afterAll, describe, expect, test } from '@jest/globals';
import { examineReceiver, type GuideReceiver, prepareReceiver, sound } from '../harness/guide-receivers.ts';
import { installModules } from './install-modules.ts';

/*
 * Receivers of the guide "Receive webhooks" on frameworks that the repository does not depend on: Fastify is installed for this
 * file alone, FastAPI and Django are those of Debian. The others are in tests/platform/docs-webhooks.test.ts.
 */

const secret = `whsec_${Buffer.alloc(32, 42).toString('base64')}`;
const packages = ['fastify@5.12.8', 'standardwebhooks@1.1.1'];

let receiver: GuideReceiver | undefined;
afterAll(() => receiver?.stop());

describe.each([
  ['Fastify', () => installModules(packages)],
  ['FastAPI', undefined],
  ['Django', undefined],
])('the receiver for %s', (section, install) => {
  test('refuses invalid deliveries, and handles each event once', async () => {
    receiver = await prepareReceiver(section);
    await receiver.start(secret, install?.());
    expect(await examineReceiver(receiver, secret)).toEqual(sound);
    await receiver.stop();
  });
});
