import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';

/** A key, and the only platform that it is sent to. */
export interface Credentials {
  readonly url: string;
  readonly key: string;
}

/** The file of a profile. @throws UsageError for a name that is no plain word */
export function credentialPath({ env, name }: Context, profile: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/i.test(profile)) {
    throw new UsageError('--profile must have letters, digits and hyphens only.');
  }
  const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(folder, name, `${profile}.json`);
}

/** The credentials of a file; undefined where there are none. */
export function readCredentials(path: string): Credentials | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (Object(error).code === 'ENOENT') return undefined;
    throw error;
  }
  const { url, key } = fieldsOf(text);
  return typeof url === 'string' && typeof key === 'string' ? { url, key } : undefined;
}

/** Writes the file, readable by its owner alone; whole or not at all. */
export function writeCredentials(path: string, credentials: Credentials): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(credentials)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
}

/** Removes the file, where there is one. */
export const removeCredentials = (path: string) => rmSync(path, { force: true });

function fieldsOf(text: string): { readonly url?: unknown; readonly key?: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
