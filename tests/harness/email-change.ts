import { expect } from '@jest/globals';
import { type Browser, createBrowser } from './browser.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';
import type { HttpResponse } from './http-request.ts';
import { awaitMail, logIn, mailsTo, newAddress, signUp, type TestPerson } from './people.ts';
import type { Platform } from './platform.ts';

export const confirmPath = '/account/email/confirm';

/** A person with a dashboard. */
export interface EmailOwner extends TestPerson {
  readonly dashboard: Dashboard;
}

export async function openEmailOwner(platform: Platform): Promise<EmailOwner> {
  const person = await signUp(platform);
  return { ...person, dashboard: await openDashboard(person, person.browser) };
}

/** Asks for another email address. */
export const askForEmail = (
  { dashboard, password }: EmailOwner,
  email: string,
  more: object = {},
): Promise<HttpResponse> => dashboard.call('POST', '/profile/email', { email, password, ...more });

/** Asks for a new address and resolves to the mailed link. */
export async function emailLink(
  { mailDirectory }: Platform,
  owner: EmailOwner,
  email: string,
): Promise<string> {
  const before = mailsTo(mailDirectory, email).length;
  expect((await askForEmail(owner, email)).status).toBe(204);
  return (await awaitMail(mailDirectory, email, before + 1)).link;
}

/** Opens a link in a browser and presses its button. Resolves to the status of the last page. */
export async function follow(browser: Browser, link: string, path: string): Promise<number> {
  const page = await browser.open(link);
  return page.status === 200 ? (await browser.submit(path)).status : page.status;
}

export const newBrowserAt = ({ gatewayPorts }: Platform, gateway = 1): Browser =>
  createBrowser(gatewayPorts[gateway] ?? 0);

/** The address that an account has now; undefined without the account. */
export async function emailOf(
  platform: Platform,
  { id }: Pick<TestPerson, 'id'>,
): Promise<string | undefined> {
  const rows = await platform.sql<{ email: string }>('SELECT email FROM people WHERE id = $1', [id]);
  return rows[0]?.email;
}

export const canLogIn = (platform: Platform, person: TestPerson): Promise<boolean> =>
  logIn(platform, person, 1).then(
    () => true,
    () => false,
  );

/** A person whose address was changed, with the link that undoes it. */
export async function withChangedEmail(platform: Platform) {
  const ada = await openEmailOwner(platform);
  const email = newAddress('ada');
  const mails = mailsTo(platform.mailDirectory, ada.email).length;
  expect(await follow(ada.browser, await emailLink(platform, ada, email), confirmPath)).toBe(200);
  const mail = await awaitMail(platform.mailDirectory, ada.email, mails + 1);
  return { ada, email, mail, undo: mail.link };
}

/** Changes the address of a person. Resolves to the new one, and to the undo link in the mailbox of the old one. */
export async function changeEmail(
  { mailDirectory }: Pick<Platform, 'mailDirectory'>,
  { browser, email, password, ...person }: TestPerson,
): Promise<{ readonly address: string; readonly undo: string }> {
  const address = newAddress('moved');
  const { call } = await openDashboard(person, browser);
  expect((await call('POST', '/profile/email', { email: address, password })).status).toBe(204);
  await browser.open((await awaitMail(mailDirectory, address)).link);
  const before = mailsTo(mailDirectory, email).length;
  expect((await browser.submit('/account/email/confirm')).status).toBe(200);
  return { address, undo: (await awaitMail(mailDirectory, email, before + 1)).link };
}
