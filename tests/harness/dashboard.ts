import { z } from 'zod';
import type { Browser } from './browser.ts';
import type { HttpResponse } from './http-request.ts';
import { createResponseCheck, type ResponseCheck } from './openapi.ts';
import type { TestPerson } from './people.ts';

const sessionResponse = z.object({ csrfToken: z.string() });

/** The dashboard API as a page in a browser calls it. Every response is compared with the OpenAPI document. */
export interface Dashboard {
  /** One call, with the CSRF token where it needs one. @param path below `/dashboard-api` */
  call(method: string, path: string, body?: unknown): Promise<HttpResponse>;
  /** Sends a call below `/dashboard-api/businesses/{id}` of the person's own business. */
  own(method: string, path: string, body?: unknown): Promise<HttpResponse>;
  /** Enters the password, which allows secret keys for ten minutes. */
  confirm(): Promise<void>;
}

let latest: { readonly text: string; readonly check: ResponseCheck } | undefined;

/** The check of the OpenAPI document, created once since the document is the same for all. */
function checkOf(text: string): ResponseCheck {
  if (latest?.text !== text) latest = { text, check: createResponseCheck(JSON.parse(text)) };
  return latest.check;
}

/** Opens the dashboard in a browser in which a person is logged in. */
export async function openDashboard(
  { businessId, password }: Pick<TestPerson, 'businessId'> & Partial<Pick<TestPerson, 'password'>>,
  browser: Browser,
): Promise<Dashboard> {
  const check = checkOf((await browser.send('GET', '/dashboard-api/openapi.json')).text);
  const session = await browser.send('GET', '/dashboard-api/session');
  let { csrfToken } = sessionResponse.parse(session.json());

  const call: Dashboard['call'] = async (method, path, body) => {
    const headers = method === 'GET' ? {} : { 'X-CSRF-Token': csrfToken };
    const json = body === undefined ? {} : { body };
    const response = await browser.send(method, `/dashboard-api${path}`, { headers, ...json });
    check(method, path, response);
    const renewed = response.headers['x-csrf-token'];
    if (typeof renewed === 'string') csrfToken = renewed;
    return response;
  };
  const confirm = async () => {
    const { status, text } = await call('POST', '/profile/confirmation', { password });
    if (status !== 204) throw new Error(`The password was not accepted:\n${text}`);
  };
  return {
    call,
    own: (method, path, body) => call(method, `/businesses/${businessId}${path}`, body),
    confirm,
  };
}
