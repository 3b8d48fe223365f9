import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type ClientPlatform, scopes, startClientPlatform } from '../harness/client-platform.ts';
import { runScript } from './run-script.ts';

/** Client libraries of Python, as Debian ships them. The expectations are in the scripts; a broken one fails. */

let world: ClientPlatform;
beforeAll(async () => {
  world = await startClientPlatform();
});
afterAll(() => world?.platform.close());

function run(script: string, ...args: string[]): Promise<void> {
  const { application, businessId, platform, visit } = world;
  const settings = {
    issuer: platform.publicUrl,
    // The other gateway.
    api: `http://127.0.0.1:${platform.gatewayPorts[1]}/v2/businesses/me`,
    clientId: application.clientId,
    clientSecret: application.clientSecret,
    redirectUri: application.redirectUri,
    scope: scopes.join(' '),
    businessId,
  };
  return runScript(script, args, settings, visit);
}

describe.each([
  ['Authlib', 'with_authlib.py', 'client_secret_basic', 'client_secret_post'],
  ['requests-oauthlib', 'with_requests_oauthlib.py', 'header', 'body'],
])('%s', (_, script, header, body) => {
  test('goes through the whole flow with its secret in the header', () => run(script, 'flow', header));
  test('goes through the whole flow with its secret in the body', () => run(script, 'flow', body));
  test('distinguishes a denial from other errors', () => run(script, 'denied'));
  test('refuses a callback with another state', () => run(script, 'state'));
  test('reports a wrong secret in the header', () => run(script, 'secret', header));
  test('reports a wrong secret in the body', () => run(script, 'secret', body));
});
