import { Client, type ClientOptions } from '@business-api/client';
import type { Context, GlobalOptions } from './context.ts';
import { type Credentials, credentialPath, readCredentials } from './credentials.ts';
import { LoginError, UsageError } from './errors.ts';

/** The variables that take precedence over a profile. */
export const variables = { key: 'BUSINESS_API_KEY', url: 'BUSINESS_API_URL' } as const;

/** A client with the credential of the variable or the profile. @throws LoginError, UsageError */
export function openClient(
  context: Context,
  options: GlobalOptions,
  patience: Partial<ClientOptions> = { retries: 2, maxPauseMs: 10_000 },
): Client {
  const { url, key } = credentialsOf(context, options);
  return new Client({ ...patience, baseUrl: url, credential: key });
}

/** The key to send and where. A stored key goes to the platform that it was stored for, and to no other. @throws LoginError */
export function credentialsOf(context: Context, { profile, url }: GlobalOptions): Credentials {
  const { env, name, platform } = context;
  const given = url ?? (env[variables.url] || undefined);
  const key = env[variables.key];
  if (key) return { url: readOrigin(given ?? platform), key: readKey(key, variables.key) };
  const stored = readCredentials(credentialPath(context, profile));
  const command = `${name} login${profile === 'default' ? '' : ` --profile ${profile}`}`;
  if (stored === undefined) {
    throw new LoginError(`Not logged in. Run: ${command}; or set ${variables.key}.`);
  }
  if (given !== undefined && readOrigin(given) !== stored.url) {
    throw new LoginError(
      `The profile ${profile} is logged in at ${stored.url}. For ${readOrigin(given)}, log in with another --profile.`,
    );
  }
  return stored;
}

/** Origin of the platform, for what needs no key: given, of the profile, or the default. */
export function originOf(context: Context, { profile, url }: GlobalOptions): string {
  const given = url ?? (context.env[variables.url] || undefined);
  if (given !== undefined) return readOrigin(given);
  return readCredentials(credentialPath(context, profile))?.url ?? context.platform;
}

/** The key in a text that a person or a variable gives. The text is in no error. @throws UsageError */
export function readKey(text: string, source: string): string {
  const key = text.trim();
  if (/^[sr]k_[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError(`${source} is no API key: it begins with sk_ or rk_.`);
}

/** The origin of a URL to which a key may be sent. @throws UsageError */
export function readOrigin(text: string): string {
  const url = readHttpUrl(text, '--url');
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || isHere) return url.origin;
  throw new UsageError(
    '--url must begin with https://, since a key goes there; http:// is for this machine.',
  );
}

/** A URL of the web. @throws UsageError that names the option */
export function readHttpUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`${option} must be a URL that begins with http:// or https://.`);
}
