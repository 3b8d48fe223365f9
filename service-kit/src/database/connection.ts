export { Client, Pool, type PoolClient, type PoolConfig } from 'pg';

// pg takes what its options leave open from PGSSLMODE, PGOPTIONS, PGPASSWORD and the like, as libpq does: a database that works
// would be refused, or another one used. So pg is imported here alone, and our configuration alone decides.
// biome-ignore lint/style/noProcessEnv: no configuration, but what the platform takes none from.
const variables = process.env;

for (const name of Object.keys(variables)) if (name.startsWith('PG')) Reflect.deleteProperty(variables, name);

/** A setting of sessions that statements rely on: a server, a database or a role may have another default. */
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
  // Prisma's adapter sends a Date without its offset, and ignores the one that it reads: in any other time zone every expiry
  // would be off by it.
  exactly('timezone', 'UTC'),
  // pg and the adapter read dates in no other format.
  { name: 'datestyle', value: 'ISO, MDY', suffices: (actual) => actual.startsWith('ISO') },
  exactly('standard_conforming_strings', 'on'),
  // Tables are in `public`, and statements do not name it.
  { name: 'search_path', value: 'public', suffices: (actual) => /^("\$user", ?)?public(,|$)/.test(actual) },
  // In a stricter one PostgreSQL ends transactions for their client to repeat, which none of ours does.
  exactly('default_transaction_isolation', 'read committed'),
];

/**
 * The URL of a database, for sessions that begin with the settings that statements rely on, and with further ones by name.
 * PostgreSQL ranks them above those of the role, the database and the server. Not for a pooler in transaction mode, which
 * refuses or drops them: `checkRole` requires them of the role instead.
 */
export function sessionUrl(databaseUrl: string, settings: Readonly<Record<string, string>> = {}): string {
  const url = new URL(databaseUrl);
  const relied = reliedSettings.map(({ name, value }) => [name, value] as const);
  const added = [...Object.entries(settings), ...relied].map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', String.raw`\ `)}`,
  );
  // Whatever the URL asks for itself stays; the last setting of a name counts.
  const options = [url.searchParams.get('options'), ...added].filter((option) => option);
  url.searchParams.set('options', options.join(' '));
  return url.href;
}
