import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, createBrowser } from './browser.ts';
import { expectEventually } from './expect-eventually.ts';
import type { Platform } from './platform.ts';

/** A mail as identity-service wrote it. */
export interface WrittenMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The whole file. */
  readonly raw: string;
  /** Path and query of the first link in it; empty without one. */
  readonly link: string;
}

/** Emails to an address except those about logins from new browsers, which tests cause all the time. Oldest first. */
export const mailsTo = (directory: string, address: string): WrittenMail[] =>
  allMailsTo(directory, address).filter(({ subject }) => subject !== 'Login from a new browser');

/** Emails to an address in the order in which they were found, since the dates in their names may jump. */
export function allMailsTo(directory: string, address: string): WrittenMail[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.eml'));
  for (const file of files.sort()) readMail(join(directory, file));
  return [...mails].flatMap(([path, mail]) =>
    dirname(path) === directory && mail.to === address ? [mail] : [],
  );
}

/** The latest mail to an address, once there are `count`. */
export function awaitMail(directory: string, address: string, count = 1): Promise<WrittenMail> {
  return expectEventually(
    () => {
      const mail = mailsTo(directory, address)[count - 1];
      if (mail === undefined) throw new Error(`No mail ${count} to ${address} yet.`);
      return mail;
    },
    { withinMs: 5_000 },
  );
}

/** Mails to an address with a subject, oldest first. */
export const mailsAbout = (directory: string, address: string, subject: string): WrittenMail[] =>
  mailsTo(directory, address).filter((mail) => mail.subject === subject);

/** Waits for `count` emails with a subject. Others may come between, since notices are sent later and in any order. */
export function awaitMailAbout(
  directory: string,
  address: string,
  subject: string,
  count = 1,
): Promise<WrittenMail> {
  return expectEventually(
    () => {
      const mail = mailsAbout(directory, address, subject)[count - 1];
      if (mail === undefined) throw new Error(`No mail "${subject}" ${count} to ${address} yet.`);
      return mail;
    },
    { withinMs: 15_000 },
  );
}

/** By path, in the order in which they were found. */
const mails = new Map<string, WrittenMail>();

/** A mail is read once: it never changes, and directories of shared platforms hold thousands. */
function readMail(path: string): void {
  if (!mails.has(path)) mails.set(path, parseMail(path));
}

function parseMail(path: string): WrittenMail {
  const raw = readFileSync(path, 'utf8');
  const [head = '', body = ''] = raw.split(/\r\n\r\n(.*)/s);
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '';
  const [, plain = '', page = ''] = body.split(`--${boundary}`).map(contentOf);
  const link = /https?:\/\/[^/\s]+(\/\S*)/.exec(plain)?.[1] ?? '';
  return {
    to: header('To').replace(/^.*<|>$/g, ''),
    subject: header('Subject'),
    text: plain,
    html: page,
    raw,
    link,
  };
}

/** Content of a part, which is sent unencoded. */
const contentOf = (part: string) => (part.split(/\r\n\r\n(.*)/s)[1] ?? '').replaceAll('\r\n', '\n');

/** A mail address that no other test writes to: test files share platforms. */
export const newAddress = (name: string): string => `${name}-${randomBytes(4).toString('hex')}@people.test`;

export interface NewPerson {
  readonly email?: string;
  readonly name?: string;
  readonly password?: string;
  readonly businessName?: string;
  readonly username?: string;
  /** Gateway that the browser speaks to, the first where absent. */
  readonly gateway?: number;
}

/** A person with an account and a browser that is logged in. */
export interface TestPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
  /** The business that the person owns; unverified. */
  readonly businessId: number;
  readonly browser: Browser;
}

const defaultBusinessName = 'Analytical Engines';

/** Signs up as people do: mail address, mailed link, account. */
export async function signUp(platform: Platform, given: NewPerson = {}): Promise<TestPerson> {
  const suffix = randomBytes(4).toString('hex');
  const {
    email = newAddress('ada'),
    name = 'Ada Lovelace',
    password = `seven brass wheels ${suffix}`,
    businessName = defaultBusinessName,
    username = `engines-${suffix}`,
  } = given;
  const browser = createBrowser(platform.gatewayPorts[given.gateway ?? 0] ?? 0);
  await browser.open('/signup');
  await browser.submit('/signup', { email });
  const { link } = await awaitMail(platform.mailDirectory, email);
  await browser.open(link);
  const fields = { name, password, business_name: businessName, username };
  const account = await browser.submitAndFollow('/signup/confirm', fields);
  if (account.status !== 200 || browser.page.path !== '/dashboard') {
    throw new Error(`The sign-up did not lead to the dashboard:\n${account.text}`);
  }
  const [row] = await platform.sql<{ id: string; business_id: string }>(
    'SELECT id, business_id FROM people JOIN memberships ON person_id = id WHERE email = $1',
    [email],
  );
  if (row === undefined) throw new Error('The person was not stored.');
  return { id: row.id, email, name, password, businessId: Number(row.business_id), browser };
}

/** A new browser in which the person is logged in, without a second factor. */
export async function logIn(platform: Platform, person: TestPerson, gateway = 0): Promise<Browser> {
  const browser = createBrowser(platform.gatewayPorts[gateway] ?? 0);
  await browser.open('/login');
  const response = await browser.submitAndFollow('/login', {
    email: person.email,
    password: person.password,
  });
  if (browser.page.path !== '/dashboard') throw new Error(`The login failed:\n${response.text}`);
  return browser;
}

/** A person whose business is verified. */
export async function signUpVerified(platform: Platform, given: NewPerson = {}): Promise<TestPerson> {
  const person = await signUp(platform, given);
  const { businessId } = person;
  const call = { deadlineMs: 30_000 };
  const legalName = `${given.businessName ?? defaultBusinessName} Limited`;
  const facts = { legalName, registrationNumber: 'HRB 1000', country: 'DE' };
  await platform.businessRpc.SubmitVerification({ businessId, ...facts }, call);
  await platform.businessRpc.ApproveVerification({ businessId }, call);
  return person;
}

export type Role = 'viewer' | 'developer' | 'owner';

/** Adds a person to another business. */
export async function joinBusiness(
  platform: Platform,
  { id }: Pick<TestPerson, 'id'>,
  businessId: number,
  role: Role,
): Promise<void> {
  const text = 'INSERT INTO memberships (person_id, business_id, role) VALUES ($1, $2, $3::membership_role)';
  await platform.sql(text, [id, businessId, role]);
}
