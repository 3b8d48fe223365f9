import { z } from 'zod';
import { adminJsonOn } from './admin.ts';
import { type Authenticator, authenticatorOf } from './authenticator.ts';
import type { Browser } from './browser.ts';
import { expectEventually } from './expect-eventually.ts';
import type { HttpResponse } from './http-request.ts';
import { createResponseCheck } from './openapi.ts';
import { mailsTo, type NewPerson, signUp, type TestPerson } from './people.ts';
import type { Platform } from './platform.ts';

/** The operators' API as its page calls it. Every response is compared with the OpenAPI document. */
export interface Console {
  /** One call, with the CSRF token where it needs one. @param path below `/operators/api/v1` */
  call(method: string, path: string, body?: unknown): Promise<HttpResponse>;
}

export interface TestOperator extends TestPerson, Console {
  readonly app: Authenticator;
}

const api = '/operators/api/v1';

const session = z.object({ csrfToken: z.string() });

/** The console in a browser in which a person is logged in. */
export async function openConsole(browser: Browser): Promise<Console> {
  const check = createResponseCheck(JSON.parse((await browser.send('GET', `${api}/openapi.json`)).text));
  const { csrfToken } = session.parse((await browser.send('GET', '/dashboard-api/session')).json());
  return {
    call: async (method, path, body) => {
      const headers = method === 'GET' ? {} : { 'X-CSRF-Token': csrfToken };
      const response = await browser.send(method, `${api}${path}`, {
        headers,
        ...(body !== undefined && { body }),
      });
      check(method, path, response);
      return response;
    },
  };
}

/** Turns the second factor of a person on, in the browser that is then logged in with it. Resolves to the app. */
export async function protect({
  browser,
  password,
}: Pick<TestPerson, 'browser' | 'password'>): Promise<Authenticator> {
  const page = '/account/second-factor';
  await browser.open(page);
  const { text } = await browser.submitAndFollow(`${page}/begin`, { password });
  const [, secret = ''] = /enter this key: <span class="code">([A-Z2-7 ]+)</.exec(text) ?? [];
  const app = authenticatorOf(secret);
  const { status } = await browser.submitAndFollow(`${page}/confirm`, { code: await app.earliestCode() });
  if (status !== 200) throw new Error(`The second factor was not turned on: ${status}.`);
  return app;
}

/** Invites an address as an operator on the command line. Resolves to the emailed token. */
export async function inviteOperator(platform: Platform, email: string): Promise<string> {
  const invitations = () =>
    mailsTo(platform.mailDirectory, email).filter(({ link }) => link.includes('/operators/join?'));
  const before = invitations().length;
  await adminJsonOn(platform, 'operator', 'invite', '--email', email);
  const link = await expectEventually(
    () => {
      const mail = invitations()[before];
      if (mail === undefined) throw new Error(`No invitation to ${email} yet.`);
      return mail.link;
    },
    { withinMs: 5_000 },
  );
  return new URLSearchParams(link.split('?')[1]).get('token') ?? '';
}

/** An operator: signed up, with a second factor, invited and accepted. */
export async function makeOperator(platform: Platform, given: NewPerson = {}): Promise<TestOperator> {
  const person = await signUp(platform, given);
  const app = await protect(person);
  const token = await inviteOperator(platform, person.email);
  const opened = await openConsole(person.browser);
  const { status, text } = await opened.call('POST', '/join', { token });
  if (status !== 204) throw new Error(`The invitation was not accepted: ${text}`);
  return { ...person, ...opened, app };
}
