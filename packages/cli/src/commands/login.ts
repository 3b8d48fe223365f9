import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { Client, PermissionError } from '@business-api/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { credentialPath, readCredentials, removeCredentials, writeCredentials } from '../credentials.ts';
import { UsageError } from '../errors.ts';
import { readHidden } from '../hidden-input.ts';
import { toJson } from '../output.ts';
import { Pairing } from '../pairing.ts';
import { originOf, readKey, variables } from '../session.ts';
import { clean } from '../table.ts';

/** Scopes that the commands need. */
const scopes = ['business:read', 'orders:read', 'orders:write', 'events:read'];

interface LoginOptions extends GlobalOptions {
  readonly key?: string;
}

/** Adds `login` and `logout`. */
export function addLogin(program: Command, context: Context): void {
  program
    .command('login')
    .description('store an API key, which you make in the dashboard')
    .option('--key <->', 'read the key from standard input, without a prompt')
    .action((_: object, command: Command) => login(context, command.optsWithGlobals<LoginOptions>()));
  program
    .command('logout')
    .description('remove the stored key')
    .action((_: object, command: Command) => logout(context, command.optsWithGlobals<GlobalOptions>()));
}

async function login(context: Context, options: LoginOptions) {
  const { terminal, signal, name } = context;
  const path = credentialPath(context, options.profile);
  const url = originOf(context, options);
  const key = await keyOf(context, options, url);
  const business = await businessOf(new Client({ baseUrl: url, credential: key, retries: 2 }), signal);
  writeCredentials(path, { url, key });
  if (options.json) return terminal.out(toJson({ url, profile: options.profile, ...business }));
  const { account, isSandbox } = business;
  const whose = account === undefined ? '' : ` of ${clean(account)}`;
  terminal.out(`Logged in at ${url} with a key${whose}${isSandbox ? ', a sandbox' : ''}.`);
  terminal.out(`The key is in ${path}, readable by you alone. ${name} logout removes it.`);
  if (context.env[variables.key])
    terminal.note(`${variables.key} is set, and takes precedence over the stored key.`);
}

async function keyOf(
  { terminal, signal, name }: Context,
  { key }: LoginOptions,
  url: string,
): Promise<string> {
  if (key === '-') return readKey(await text(terminal.stdin), 'Standard input');
  if (key !== undefined) {
    throw new UsageError('--key must be -: an argument could be read by every user of this machine.');
  }
  if (!terminal.stdin.isTTY) {
    throw new UsageError('Standard input is not a terminal. To read the key from it, use --key -.');
  }
  const pairing = await Pairing.open();
  terminal.note('Open this page and create the key. It is restricted, and expires after 90 days:');
  terminal.note(`\n  ${newKeyPage(url, name, hostname(), pairing.request)}\n`);
  terminal.note(`The page shows the code ${pairing.code}. Press "Send it to the program" there,`);
  terminal.note('or paste the key here and press Enter. It is not shown.');
  const arrived = new AbortController();
  try {
    const typed = readHidden(terminal.stdin, AbortSignal.any([signal, arrived.signal]));
    return readKey(await Promise.race([pairing.key, typed]), 'This');
  } finally {
    arrived.abort();
    pairing.close();
  }
}

/** The page of the dashboard with the form of a key for this program, filled in. */
export function newKeyPage(url: string, program: string, host: string, pair: string): string {
  const page = new URL('/dashboard/settings/developers/keys/new', url);
  page.searchParams.set('name', `${program} on ${host}`.slice(0, 100));
  page.searchParams.set('scopes', scopes.join(' '));
  page.searchParams.set('pair', pair);
  return page.href;
}

/** Whose key it is. A key that may not read that is as good. @throws ApiError, ConnectionError */
async function businessOf(client: Client, signal: AbortSignal) {
  try {
    const { data, headers } = await client.request('GET /v2/businesses/me', { signal });
    return { account: data.account_holder, isSandbox: headers.has('x-sandbox') };
  } catch (error) {
    if (error instanceof PermissionError && error.code === 'insufficient_scope') return {};
    throw error;
  }
}

function logout(context: Context, options: GlobalOptions) {
  const { terminal } = context;
  const path = credentialPath(context, options.profile);
  const credentials = readCredentials(path);
  removeCredentials(path);
  if (options.json) return terminal.out(toJson({ removed: credentials !== undefined }));
  if (credentials === undefined) return terminal.out(`No key was stored for the profile ${options.profile}.`);
  const keys = new URL('/dashboard/settings/developers/keys', credentials.url);
  terminal.out(`Removed ${path}. The key itself still works until you delete it: ${keys.href}`);
}
