export { Client, Pool, type PoolClient, type PoolConfig } from 'pg';

// Like libpq, pg takes missing options from PGSSLMODE, PGOPTIONS, PGPASSWORD and so on, which could select another database or
// break the connection. These variables are deleted, and pg is imported here only, so that our configuration alone decides.
// biome-ignore lint/style/noProcessEnv: not read as configuration, but protected from being used as such.
const variables = process.env;

for (const name of Object.keys(variables)) if (name.startsWith('PG')) Reflect.deleteProperty(variables, name);

/** A session setting that statements rely on. Servers, databases and roles may have other defaults. */
interface ReliedSetting {
  readonly name: string;
  readonly value: string;
  /** Whether statements work with this value too. */
  readonly suffices: (value: string) => boolean;
}

const exactly = (name: string, value: string): ReliedSetting => ({
  name,
  value,
  suffices: (actual) => actual === value,
});

export const reliedSettings: readonly ReliedSetting[] = [
  // Prisma's adapter sends a Date without its offset and ignores the offset that it reads. In any other time zone, every
  // expiration would be wrong by the offset.
  exactly('timezone', 'UTC'),
  // The only format of dates that pg and the adapter can read.
  { name: 'datestyle', value: 'ISO, MDY', suffices: (actual) => actual.startsWith('ISO') },
  exactly('standard_conforming_strings', 'on'),
  // Tables are in `public`, and statements do not name it.
  { name: 'search_path', value: 'public', suffices: (actual) => /^("\$user", ?)?public(,|$)/.test(actual) },
  // At a stricter level PostgreSQL aborts transactions for the client to repeat, and ours are not repeated.
  exactly('default_transaction_isolation', 'read committed'),
];

/**
 * The URL of a database for sessions with the settings that statements rely on, and with further ones by name. They override
 * those of the role, the database and the server. Not for a pooler in transaction mode, which refuses or drops them: there
 * `checkRole` requires them of the role.
 */
export function sessionUrl(databaseUrl: string, settings: Readonly<Record<string, string>> = {}): string {
  const url = new URL(databaseUrl);
  const relied = reliedSettings.map(({ name, value }) => [name, value] as const);
  const added = [...Object.entries(settings), ...relied].map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', String.raw`\ `)}`,
  );
  // Keeps options in the URL. If a setting appears twice, the last one counts.
  const options = [url.searchParams.get('options'), ...added].filter((option) => option);
  url.searchParams.set('options', options.join(' '));
  return url.href;
}
