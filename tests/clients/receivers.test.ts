import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, test } from '@jest/globals';
import { examineReceiver, type GuideReceiver, prepareReceiver, sound } from '../harness/guide-receivers.ts';
import { runDirectory } from '../harness/run-directory.ts';

/*
 * Receivers of the guide "Receive webhooks" on frameworks that the repository does not depend on: Fastify is installed for this
 * file alone, FastAPI and Django are those of Debian. The others are in tests/platform/docs-webhooks.test.ts.
 */

const secret = `whsec_${Buffer.alloc(32, 42).toString('base64')}`;
const packages = ['fastify@5.12.8', 'standardwebhooks@1.1.1'];

let receiver: GuideReceiver | undefined;
afterAll(() => receiver?.stop());

/** Installs packages of npm into a directory of their own, and returns it. */
function installModules(): string {
  const directory = runDirectory().newDirectory('modules');
  const args = [
    'install',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--prefix',
    directory,
    ...packages,
  ];
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8', timeout: 100_000 });
  if (status !== 0) throw new Error(`npm did not install ${packages.join(', ')}: ${stderr}`);
  return directory;
}

describe.each([
  ['Fastify', installModules],
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
