import { query } from './postgres.ts';

/**
 * Makes PostgreSQL refuse every INSERT and UPDATE on a table with an SQLSTATE, as it does when its disk is full
 * (53100) or its memory is used up (53200). Resolves to a function that restores the table.
 */
export async function failWrites(url: string, table: string, sqlState: string): Promise<() => Promise<void>> {
  const name = `fail_${table}`;
  await query(
    url,
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '${sqlState}'; END $$;
     CREATE TRIGGER ${name} BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
  );
  return async () => {
    await query(url, `DROP FUNCTION IF EXISTS ${name}() CASCADE`);
  };
}
