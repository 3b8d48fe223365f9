import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openDashboard } from '../harness/dashboard.ts';
import { awaitMail, joinBusiness, type Role, signUp, type TestPerson } from '../harness/people.ts';
import { invite } from '../harness/team.ts';
import { axeViolations } from './axe-violations.ts';
import { fillForm } from './fill-form.ts';
import { focusComesTo, focusOf } from './keyboard.ts';
import { heading, press, toast } from './locators.ts';
import { phone } from './screens.ts';
import { setStage } from './stage.ts';
import { dialogTitles, watchTexts } from './watch-texts.ts';

/** The team of a business: invitations, joining, roles, leaving. */

const stage = setStage();

let ada: TestPerson;
let ownTeam: string;
beforeEach(async () => {
  ada = await signUp(stage.platform, { businessName: 'Royal Observatory' });
  ownTeam = `/dashboard/${ada.businessId}/settings/business`;
});

const member = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Team members' }).getByRole('row').filter({ hasText: name });
const act = async (page: Page, menu: string, item: string) => {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const confirm = (page: Page, name: string) => press(page.getByRole('dialog'), name);

async function arrowTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 5; presses++) {
    if ((await focusOf(page)).includes(name)) return;
    await page.keyboard.press('ArrowDown');
  }
  throw new Error(`The arrows do not reach ${name}.`);
}

async function addMember(name: string, role: Role = 'developer'): Promise<TestPerson> {
  const person = await signUp(stage.platform, { name });
  await joinBusiness(stage.platform, person, ada.businessId, role);
  return person;
}

/** Ends the membership of a person in their own business; another owner stays. */
async function leaveOwnBusiness(person: TestPerson): Promise<void> {
  await joinBusiness(stage.platform, await signUp(stage.platform), person.businessId, 'owner');
  const { own } = await openDashboard(person, person.browser);
  expect((await own('DELETE', `/team/members/${person.id}`, {})).status).toBe(200);
}

describe('an invitation', () => {
  test('leads a person without an account through sign-up into the business', async () => {
    const owner = await stage.enterAs(ada, ownTeam);
    const email = `newcomer-${ada.businessId}@people.test`;
    await owner.page.getByRole('button', { name: 'Invite a person' }).press('Enter');
    await focusComesTo(owner.page, 'textbox "Email address"');
    await owner.page.keyboard.type('nowhere');
    await owner.page.keyboard.press('Enter');
    await owner.page.getByText('Enter an email address such as name@example.com.').waitFor();
    const field = owner.page.getByRole('textbox', { name: 'Email address' });
    expect(await field.inputValue()).toBe('nowhere');
    await field.fill(email);
    await owner.page.keyboard.press('Enter');
    await toast(owner.page, `Invitation sent to ${email}.`).waitFor();
    await owner.page.getByRole('table', { name: 'Open invitations' }).getByText(email).waitFor();

    const { link } = await awaitMail(stage.platform.mailDirectory, email);
    const guest = await stage.open(link, { viewport: phone });
    await guest.page.getByText('To accept the invitation, log in with the email address').waitFor();
    await guest.page.getByRole('link', { name: 'Create an account' }).click();
    await guest.page.getByText('Use the email address that the invitation was sent to.').waitFor();
    await fillForm(guest.page, { 'Email address': email }, 'Send the link');
    await guest.page.goto((await awaitMail(stage.platform.mailDirectory, email, 2)).link);
    await guest.page.getByText('With this account you join Royal Observatory as a developer.').waitFor();
    expect(await axeViolations(guest.page)).toEqual([]);
    const typed = { 'Your name': 'Mary Somerville', Password: 'seven brass wheels turning' };
    await fillForm(guest.page, typed, 'Create account and join');
    await heading(guest.page, 'Overview').waitFor();
    expect(new URL(guest.page.url()).pathname).toBe(`/dashboard/${ada.businessId}`);

    await owner.page.reload();
    await member(owner.page, 'Mary Somerville').getByText('Developer', { exact: true }).waitFor();
    expect(await owner.page.getByRole('table', { name: 'Open invitations' }).count()).toBe(0);
    await guest.page.goto(link);
    await guest.page.getByText('This invitation is no longer valid').waitFor();
    expect([...owner.problems, ...guest.problems]).toEqual([]);
  });

  test('to another address explains that, and leads through the logout to the invited person', async () => {
    const dashboard = await openDashboard(ada, ada.browser);
    const [bob, eve] = [await signUp(stage.platform), await signUp(stage.platform)];
    const { link } = await invite(stage.platform, dashboard, bob.email, 'owner');
    const { page, problems } = await stage.enterAs(eve, link);
    await page.getByText('This invitation is for another email address').waitFor();
    await page.getByText(eve.email).waitFor();
    expect(await page.getByText(bob.email).count()).toBe(0);
    await page.getByRole('button', { name: 'Log out and continue' }).click();
    await page.getByText('You are logged out.').waitFor();
    await fillForm(page, { 'Email address': bob.email, Password: bob.password }, 'Log in');
    await page.getByText('As an owner, you also manage').waitFor();
    await page.getByRole('button', { name: 'Join the business' }).press('Enter');
    // It leaves after a few seconds, which the page may take.
    await toast(page, 'You joined Royal Observatory.').waitFor();
    await heading(page, 'Overview').waitFor();
    expect(problems).toEqual([]);
  });

  test('is sent again, and withdrawn', async () => {
    const dashboard = await openDashboard(ada, ada.browser);
    const bob = await signUp(stage.platform);
    const first = await invite(stage.platform, dashboard, bob.email);
    const { page, problems } = await stage.enterAs(ada, ownTeam);
    const menu = `Actions for the invitation of ${bob.email}`;
    await act(page, menu, 'Resend');
    await toast(page, `Invitation sent to ${bob.email} again.`).waitFor();
    const second = await awaitMail(stage.platform.mailDirectory, bob.email, 3);
    expect(second.link).not.toBe(first.link);
    await act(page, menu, 'Withdraw');
    await confirm(page, 'Withdraw');
    await toast(page, ' withdrawn.').waitFor();
    await page.getByRole('table', { name: 'Open invitations' }).waitFor({ state: 'detached' });
    const guest = await stage.enterAs(bob, second.link);
    await guest.page.getByText('This invitation is no longer valid').waitFor();
    expect(problems).toEqual([]);
  });

  test('of a member of the team is refused at the field', async () => {
    const { page } = await stage.enterAs(ada, ownTeam);
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByRole('textbox', { name: 'Email address' }).fill(ada.email);
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('This person is already a member of the team.').waitFor();
  });

  test('with an incomplete link shows an error', async () => {
    const { page } = await stage.enterAs(ada, '/dashboard/join');
    await page.getByText('This link is incomplete').waitFor();
    await page.getByRole('link', { name: 'Go to dashboard' }).click();
    await heading(page, 'Overview').waitFor();
  });
});

describe('members', () => {
  test('are made owners and developers again with the keyboard', async () => {
    await addMember('Charles Babbage');
    const { page, problems } = await stage.enterAs(ada, ownTeam);
    await page.getByRole('button', { name: 'Actions for Charles Babbage' }).focus();
    await page.keyboard.press('Enter');
    await focusComesTo(page, 'menuitem');
    await arrowTo(page, 'Change the role');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change the role of Charles Babbage' });
    await dialog.getByRole('radio', { name: 'Developer', checked: true }).press('ArrowDown');
    await dialog.getByText('An owner can also remove other owners').waitFor();
    await page.keyboard.press('Escape');
    await focusComesTo(page, 'button "Actions for Charles Babbage"');
    await page.keyboard.press('Enter');
    await focusComesTo(page, 'menuitem');
    await arrowTo(page, 'Change the role');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Change role', disabled: true }).waitFor();
    await dialog.getByRole('radio', { name: 'Developer', checked: true }).press('ArrowDown');
    await dialog.getByRole('button', { name: 'Change role' }).press('Enter');
    await member(page, 'Charles Babbage').getByText('Owner', { exact: true }).waitFor();
    await act(page, 'Actions for Charles Babbage', 'Change the role');
    await dialog.getByRole('radio', { name: 'Developer' }).check();
    await dialog.getByText('This person has no key beyond what developers may have').waitFor();
    await confirm(page, 'Change role');
    await toast(page, 'Charles Babbage is now a developer.').waitFor();
    await member(page, 'Charles Babbage').getByText('Developer', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('are removed; a person without another business still logs in, and is shown what to do', async () => {
    const bob = await addMember('Charles Babbage');
    await leaveOwnBusiness(bob);
    const theirs = await stage.enterAs(bob, ownTeam, { viewport: phone });
    await theirs.page.getByText('Only owners can invite and remove members and change roles.').waitFor();

    const { page } = await stage.enterAs(ada, ownTeam);
    await act(page, 'Actions for Charles Babbage', 'Remove from the team');
    await page.getByText('loses all access to this business at once').waitFor();
    await confirm(page, 'Remove from the team');
    await toast(page, 'Charles Babbage removed from the team.').waitFor();
    await member(page, 'Charles Babbage').waitFor({ state: 'detached' });

    await theirs.page.reload();
    await heading(theirs.page, 'Business not found').waitFor();
    await theirs.page.goto('/dashboard');
    await theirs.page.getByText('You are not a member of a business').waitFor();
    await theirs.page.getByRole('link', { name: 'Create a business' }).click();
    await theirs.page.getByRole('textbox', { name: 'Display name' }).fill('Difference Engines');
    await theirs.page.getByRole('textbox', { name: 'Username' }).fill(`difference-${bob.id.slice(-8)}`);
    await theirs.page.getByRole('button', { name: 'Create business' }).click();
    await toast(theirs.page, 'You own Difference Engines.').waitFor();
    await theirs.page
      .getByRole('button', { name: 'Business: Difference Engines. Switch business' })
      .waitFor();
  });

  test('leave, on a phone, and get to their remaining business', async () => {
    const bob = await addMember('Charles Babbage');
    const { page, problems } = await stage.enterAs(bob, ownTeam, { viewport: phone });
    await page.getByRole('list', { name: 'Team members' }).waitFor();
    const headingsSeen = await watchTexts(page, 'h1');
    await act(page, 'Actions for you', 'Leave the team');
    await page.getByText('webhooks that you made send only what developers may receive').waitFor();
    await confirm(page, 'Leave the team');
    await toast(page, 'You left Royal Observatory.').waitFor();
    await heading(page, 'Overview').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${bob.businessId}`);
    expect(await headingsSeen()).not.toContain('Business not found');
    expect(problems).toEqual([]);
  });
});

describe('the only owner', () => {
  test('is shown why neither leaving nor stepping down is possible', async () => {
    await addMember('Charles Babbage');
    const { page } = await stage.enterAs(ada, ownTeam);
    for (const item of ['Leave the team', 'Change your role']) {
      await act(page, 'Actions for you', item);
      await page.getByRole('dialog', { name: 'You are the only owner' }).waitFor();
      await confirm(page, 'OK');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test('gets an error from the server when the other owner has left in the meantime', async () => {
    const bob = await addMember('Charles Babbage', 'owner');
    const { page } = await stage.enterAs(ada, ownTeam);
    await member(page, 'Charles Babbage').waitFor();
    const theirs = await openDashboard(ada, bob.browser);
    await theirs.own('DELETE', `/team/members/${bob.id}`, {});
    await act(page, 'Actions for you', 'Leave the team');
    await confirm(page, 'Leave the team');
    await page.getByRole('dialog').getByText('make another member an owner first').waitFor();
  });

  test('steps down once there is another owner, and the page offers the actions of a developer', async () => {
    await addMember('Charles Babbage', 'owner');
    const { page } = await stage.enterAs(ada, ownTeam, { reducedMotion: 'no-preference' });
    const titlesSeen = await watchTexts(page, dialogTitles);
    await act(page, 'Actions for you', 'Change your role');
    await page.getByRole('dialog').getByRole('radio', { name: 'Developer' }).check();
    await page.getByText('Only another owner can make you an owner again.').waitFor();
    await confirm(page, 'Change role');
    await page.getByText('Only owners can invite and remove members and change roles.').waitFor();
    await page.getByRole('button', { name: 'Invite a person' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('switch').count()).toBe(0);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await titlesSeen()).toEqual(['Change your role']);
  });
});

test('a team that cannot be loaded loads on retry', async () => {
  const { page } = await stage.enterAs(ada, '/dashboard/profile');
  const team = '**/dashboard-api/businesses/*/team';
  const headers = { 'X-Request-Id': 'req-of-this-failure' };
  const json = { error: 'There is something wrong.', status: 'Too Many Requests', code: 429 };
  await page.route(team, (route) => route.fulfill({ status: 429, headers, json }));
  await page.goto(ownTeam);
  await page.getByRole('alert').filter({ hasText: 'req-of-this-failure' }).waitFor();
  await page.unroute(team);
  await page.getByRole('button', { name: 'Try again' }).click();
  await member(page, 'Ada Lovelace').waitFor();
});
