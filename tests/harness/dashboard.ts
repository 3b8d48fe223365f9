import { z } from 'zod';
import type { Browser } from './browser.ts';
import type { HttpResponse } from './http-request.ts';
import { createResponseCheck, type OpenApiDocument } from './openapi.ts';
import type { TestPerson } from './people.ts';

const sessionResponse = z.object({ csrfToken: z.string() });

/** The dashboard API as a page in a browser calls it. Every response is compared with the OpenAPI document. */
export interface Dashboard {
  /** One call, with the CSRF token where it needs one. @param path below `/dashboard-api` */
  call(method: string, path: string, body?: unknown): Promise<HttpResponse>;
  /** The same, below `/dashboard-api/businesses/{id}` of the person's own business. */
  own(method: string, path: string, body?: unknown): Promise<HttpResponse>;
}

/** Opens the dashboard in a browser in which a person is logged in. */
export async function openDashboard(
  { businessId }: Pick<TestPerson, 'businessId'>,
  browser: Browser,
): Promise<Dashboard> {
  const document = (await browser.send('GET', '/dashboard-api/openapi.json')).json();
  const check = createResponseCheck(document as OpenApiDocument);
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
  return { call, own: (method, path, body) => call(method, `/businesses/${businessId}${path}`, body) };
}
