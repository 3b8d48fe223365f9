import { createDatabase, query } from './postgres.ts';

/** URLs of one database. */
export interface OwnedDatabase {
  /** Of a superuser. */
  readonly admin: string;
  /** Of the role that owns its tables. */
  readonly owner: string;
  /** Of the role that a service runs as. */
  readonly runner: string;
}

/** An empty database with the two roles of deploy/docker/databases.sh. */
export async function createOwnedDatabase(): Promise<OwnedDatabase> {
  const database = new URL(await createDatabase());
  const name = database.pathname.slice(1);
  const as = (role: string) => Object.assign(new URL(database.href), { username: role, password: role }).href;
  await query(
    database.href,
    `CREATE ROLE ${name} LOGIN PASSWORD '${name}'; CREATE ROLE ${name}_runner LOGIN PASSWORD '${name}_runner';
     ALTER DATABASE ${name} OWNER TO ${name};
     ALTER DEFAULT PRIVILEGES FOR ROLE ${name} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${name}_runner;
     ALTER DEFAULT PRIVILEGES FOR ROLE ${name} GRANT USAGE ON SEQUENCES TO ${name}_runner`,
  );
  return { admin: database.href, owner: as(name), runner: as(`${name}_runner`) };
}
