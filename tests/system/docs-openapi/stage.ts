import { expect } from '@jest/globals';
import { freePort } from '../../../deploy/local/process/free-port.ts';
import type { TestApplication } from '../../harness/applications.ts';
import { orderBody } from '../../harness/business-platform.ts';
import { startGithub } from '../../harness/github-reports.ts';
import type { HttpResponse } from '../../harness/http-request.ts';
import { createResponseCheck, type OpenApiDocument, type ResponseCheck } from '../../harness/openapi.ts';
import { signUpVerified, type TestPerson } from '../../harness/people.ts';
import { type Platform, startPlatform } from '../../harness/platform.ts';
import { startPostgres, type TestPostgres } from '../../harness/postgres.ts';
import { rawRequest } from '../../harness/raw-request.ts';
import { parseResponses } from '../../harness/raw-responses.ts';
import { connectWebhooks } from '../../harness/webhooks.ts';

/*
 * What all tests of the document stand on. There is one platform and one list of what was seen, as the document is judged
 * as a whole in the end.
 */

/** Gateways: one as it comes, one that does not wait, one without an upstream. */
export const [usual, impatient, orphaned] = [0, 1, 2];

// Set when everything runs; imports are live bindings.
export let postgres: TestPostgres;
export let platform: Platform;
export let owner: TestPerson;
export let application: TestApplication;
export let key: string;
export let orderId: string;
/** Of the public keys of a webhook endpoint. */
export let keysPath: string;
export let document: OpenApiDocument;
let check: ResponseCheck;
let github: Awaited<ReturnType<typeof startGithub>>;

export async function start(): Promise<void> {
  const unreachable = `http://127.0.0.1:${await freePort()}`;
  postgres = await startPostgres();
  github = await startGithub();
  platform = await startPlatform({
    createDatabase: () => postgres.createDatabase(),
    gateways: 3,
    webhooks: 1,
    identityEnv: github.identityEnv,
    gatewayEnv: (index) => {
      if (index === impatient) return { UPSTREAM_TIMEOUT_MS: '400', TRUSTED_PROXIES: '127.0.0.1' };
      return index === orphaned
        ? { BUSINESS_HTTP_ORIGINS: unreachable, IDENTITY_HTTP_ORIGINS: unreachable }
        : {};
    },
  });
  owner = await signUpVerified(platform);
  const { businessId } = owner;
  application = await platform.createApplication({ businessId });
  key = (await platform.createKey({ businessId })).keyString;
  document = (await platform.request(usual, 'GET', '/docs/openapi.json')).json() as OpenApiDocument;
  check = createResponseCheck(document);
  orderId = await newOrder();
  const webhooks = connectWebhooks(platform);
  const hookOwner = { businessId, applicationId: '' };
  const { id } = await webhooks.createEndpoint(hookOwner, 'http://127.0.0.1:9/hook');
  webhooks.close();
  keysPath = `/.well-known/webhook-keys/${id}`;
}

export async function stop(): Promise<void> {
  await platform.close();
  await postgres.close();
  await github.close();
}

export async function newOrder(): Promise<string> {
  const { headers } = await platform.request(usual, 'POST', '/v2/order', { key, body: orderBody });
  return String(headers.location).replace('/v2/order/', '');
}

/** Every response that was as documented: `operationId status`. */
export const seen = new Set<string>();
/** Every refusal that was given. */
export const refusals: HttpResponse[] = [];

/** Compares a response with the document and notes it. @param status that was expected */
export function expectDocumented(method: string, path: string, response: HttpResponse, status: number): void {
  expect([method, path, response.status, response.text]).toEqual([method, path, status, expect.anything()]);
  const documented = check(method, path, response);
  seen.add(`${documented.operationId} ${documented.status}`);
  if (status >= 400) refusals.push(response);
  if (documented.status === 'default') expect([405, 411, 421, 431]).toContain(status);
}

/** The first response to raw bytes. */
export async function rawResponse(bytes: string): Promise<HttpResponse> {
  const { text: received } = await rawRequest(platform.gatewayPorts[usual] ?? 0, bytes);
  const [response] = parseResponses(received);
  if (response === undefined) throw new Error(`no response, but: ${received}`);
  const { status, headers, text } = response;
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { status, headers: lower, rawHeaders: [], text, json: () => JSON.parse(text) };
}

/** Raises all counts above their limits, in the next windows of a minute to a day as well: one may end before the request. */
export const exhaustThrottles = () =>
  platform.sql(`INSERT INTO throttle_counts (key, window_start, count)
     SELECT DISTINCT key, window_start + later, 2000000000
     FROM throttle_counts, unnest('{0 min, 1 min, 15 min, 1 hour, 1 day}'::interval[]) AS later
     ON CONFLICT (key, window_start) DO UPDATE SET count = excluded.count`);

/** Deletes all counts. */
export const clearThrottles = () => platform.sql('DELETE FROM throttle_counts');
