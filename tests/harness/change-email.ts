import { expect } from '@jest/globals';
import { openDashboard } from './dashboard.ts';
import { awaitMail, mailsTo, newAddress, type TestPerson } from './people.ts';
import type { Platform } from './platform.ts';

/** Gives a person another address. Resolves to it, and to the link that undoes that, which the one from before gets. */
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
