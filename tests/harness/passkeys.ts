import { z } from 'zod';
import { type Browser, createBrowser, hiddenFields } from './browser.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';
import type { HttpResponse } from './http-request.ts';
import { createPasskeyDevice, type Lie, type PasskeyDevice } from './passkey-device.ts';
import { signUp, type TestPerson } from './people.ts';
import type { Platform } from './platform.ts';

const withOptions = z.object({ options: z.record(z.string(), z.unknown()) });

export type Options = Readonly<Record<string, unknown>>;

const added = z.object({ id: z.string(), recoveryCodes: z.array(z.string()) });

/** Origin of the pages that have passkeys: browsers have none for an IP address. */
export const passkeyOrigin = ({ publicUrl }: Pick<Platform, 'publicUrl'>): string =>
  `http://localhost:${new URL(publicUrl).port}`;

export const newDevice = (platform: Pick<Platform, 'publicUrl'>, isSynced = false): PasskeyDevice =>
  createPasskeyDevice({ origin: passkeyOrigin(platform), isSynced });

export const optionsOf = (response: HttpResponse): Options => withOptions.parse(response.json()).options;

/** Asks for the options of a new passkey. */
export async function beginPasskey({ call }: Dashboard, confirmation: object): Promise<Options> {
  const response = await call('POST', '/profile/passkeys/options', confirmation);
  if (response.status !== 200) throw new Error(`No options:\n${response.text}`);
  return optionsOf(response);
}

/** Adds the passkey of a device to a person's account. @param confirmation password, and code where there is a second factor */
export async function addPasskey(dashboard: Dashboard, device: PasskeyDevice, confirmation: object) {
  const options = await beginPasskey(dashboard, confirmation);
  const body = { name: 'Key', credential: device.create(options) };
  const response = await dashboard.call('POST', '/profile/passkeys', body);
  if (response.status !== 201) throw new Error(`The passkey was not added:\n${response.text}`);
  return added.parse(response.json());
}

/** A person with a passkey. */
export interface PasskeyPerson extends TestPerson {
  readonly dashboard: Dashboard;
  readonly device: PasskeyDevice;
  readonly passkeyId: string;
  readonly recoveryCodes: readonly string[];
}

export async function signUpWithPasskey(platform: Platform, isSynced = false): Promise<PasskeyPerson> {
  const person = await signUp(platform);
  const dashboard = await openDashboard(person, person.browser);
  const device = newDevice(platform, isSynced);
  const { id, recoveryCodes } = await addPasskey(dashboard, device, { password: person.password });
  return { ...person, dashboard, device, passkeyId: id, recoveryCodes };
}

/** Where a login with a passkey begins, on the page that a browser shows: the login, or the second factor. */
export type PasskeyAction = '/login/passkey' | '/login/second-factor/passkey';

/** Asks for a challenge, as the script of the page does. */
export async function challengeFor(
  browser: Browser,
  action: PasskeyAction = '/login/passkey',
): Promise<Options> {
  const { _csrf = '' } = hiddenFields(browser.page.response.text, action);
  return optionsOf(await browser.send('POST', `${action}/options`, { form: { _csrf } }));
}

/** Sends a signed challenge, as the form does. */
export const finishWith = (
  browser: Browser,
  credential: unknown,
  action: PasskeyAction = '/login/passkey',
): Promise<HttpResponse> => browser.submit(action, { credential: JSON.stringify(credential) });

/** A login with a passkey alone, in a new browser; resolves to the last response. */
export async function logInWithPasskey(
  platform: Platform,
  device: PasskeyDevice,
  { gateway = 0, lie = {} }: { gateway?: number; lie?: Lie } = {},
): Promise<{ browser: Browser; response: HttpResponse }> {
  const browser = createBrowser(platform.gatewayPorts[gateway] ?? 0);
  await browser.open('/login');
  const response = await finishWith(browser, device.get(await challengeFor(browser), lie));
  return { browser, response };
}
