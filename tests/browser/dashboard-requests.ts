import { beforeEach, expect } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import type { Window } from './chromium.ts';
import type { Stage } from './stage.ts';

/** The requests of a new business with one key in each test. */
export interface RequestsStage {
  readonly ada: TestPerson;
  /** "Till", which may read orders. */
  readonly key: TestKey;
  /** A window of Ada on the page of the requests, or on one below it. */
  enter(rest?: string, options?: BrowserContextOptions): Promise<Window>;
  /** Sends a request, with the key unless another is given; resolves to its X-Request-Id when the dashboard can show it. */
  send(path: string, keyString?: string): Promise<string>;
  /** Records as gateways report them, one a second. */
  addRecords(count: number): Promise<void>;
}

export function setRequestsStage(stage: Stage): RequestsStage {
  let ada: TestPerson;
  let key: TestKey;
  beforeEach(async () => {
    ada = await signUpVerified(stage.platform);
    key = await stage.platform.createKey({
      businessId: ada.businessId,
      name: 'Till',
      type: 'restricted',
      scopes: ['orders:read'],
    });
  });
  return {
    get ada() {
      return ada;
    },
    get key() {
      return key;
    },
    enter: (rest = '', options = {}) =>
      stage.enterAs(ada, `/dashboard/${ada.businessId}/settings/developers/requests${rest}`, options),
    send: async (path, keyString = key.keyString) => {
      const response = await stage.platform.request(0, 'GET', path, { key: keyString });
      const id = String(response.headers['x-request-id']);
      await awaitRecord(stage, id);
      return id;
    },
    addRecords: async (count) => {
      await stage.platform.sql(
        `INSERT INTO request_log (id, at, business_id, method, path, route, status, refusal, credential_type,
                                  credential_id, limit_id, client_ip, duration_ms, response_bytes, user_agent)
         SELECT gen_random_uuid(), now() - n * interval '1 second', $1, 'GET', '/v2/order', '/v2/order', 502,
                'upstream_failed', 'restricted_key', $2, $2, '2001:db8:1234:5678:9abc:def0:1234:5678', 12.5, 80, 'shop/1.0'
         FROM generate_series(1, $3::int) AS n`,
        [ada.businessId, key.id, count],
      );
    },
  };
}

/** Resolves when the dashboard can show a request. */
export const awaitRecord = (stage: Stage, id: string) =>
  expectEventually(
    async () => {
      const found = await stage.platform.sql('SELECT 1 FROM request_log WHERE id = $1', [id]);
      expect(found).toHaveLength(1);
    },
    { withinMs: 10_000 },
  );

/** Rows of the list. */
export const rowsOf = (page: Page): Locator =>
  page.getByRole('table', { name: 'Requests' }).locator('tr[data-row]');

/** The link of the first row with a text. */
export const linkOf = (page: Page, text: string): Locator =>
  rowsOf(page).filter({ hasText: text }).first().getByRole('link').first();

/** Waits until so many rows are shown. */
export const countOf = (page: Page, count: number) =>
  expectEventually(async () => expect(await rowsOf(page).count()).toBe(count), { withinMs: 10_000 });

/** The part of the browser's address behind the page of the requests. */
export function addressOf(page: Page): string {
  const { pathname, search } = new URL(page.url());
  return `${pathname.replace(/^\/dashboard\/\d+\/settings\/developers\/requests/, '')}${search}`;
}
