import { isConcurrent, statementsOf } from '@platform/service-kit/database/migration-files.ts';

/*
 * Rules for migrations that run while the previous release serves: they only expand the schema, and hold locks only for
 * changes of the catalog, independent of the number of rows. Every statement that is not known to be safe breaks the rules.
 */

/** A migration: the name of its folder, and its script. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

interface Context {
  /** Tables that earlier statements of the same script create: without rows, and unknown to the previous release. */
  readonly created: ReadonlySet<string>;
  /** Those among them to which a partition with rows was attached. */
  readonly filled: ReadonlySet<string>;
  /** Whether the migration removes what the previous release no longer uses. */
  readonly contracts: boolean;
  readonly statements: readonly string[];
  /** All scripts before. */
  readonly earlier: string;
}

/** The rule that a statement or an action of ALTER TABLE breaks. */
type Rule = (match: readonly string[], context: Context) => string | undefined;

const safe: Rule = () => undefined;

const onlyContracting: Rule = (_match, { contracts }) =>
  contracts
    ? undefined
    : 'the release before may use it: drop it in a later release, in a migration *_contract_*';

/** The first pattern that matches decides. */
const statementRules: readonly (readonly [RegExp, Rule])[] = [
  [/^CREATE TABLE (?:IF NOT EXISTS )?"?\w+"? PARTITION OF "?(\w+)/i, checkPartition],
  [/^CREATE (?:OR REPLACE )?(?:TABLE|TYPE|FUNCTION|SEQUENCE|VIEW|SCHEMA|(?:CONSTRAINT )?TRIGGER)\b/i, safe],
  [/^CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?.*? ON (?:ONLY )?"?(\w+)/i, checkIndex],
  [/^DROP INDEX (CONCURRENTLY IF EXISTS )?/i, checkDroppedIndex],
  [/^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?"?(\w+)"? (.+)$/i, checkAlterTable],
  [/^ALTER INDEX "?(\w+)"? RENAME TO "?\w+"?$/i, checkIndexName],
  [/^DO (.+)$/i, checkBlock],
  // Housekeeping calls it every minute, so it has short lock time-outs of its own.
  [/^SELECT "?keep_partitions"?\('\w+'(?:, \d+)?\)$/i, safe],
  [/^ALTER TYPE \S+ ADD VALUE\b/i, safe],
  [/^(?:COMMENT ON|GRANT)\b/i, safe],
  [/^DROP (?:TABLE|TYPE|FUNCTION|TRIGGER|SEQUENCE|VIEW)\b/i, onlyContracting],
  [/^INSERT INTO "?(\w+)"?.*? VALUES\b/i, checkInsert],
  [
    /^(?:INSERT|UPDATE|DELETE|WITH|MERGE)\b/i,
    () => 'rows are changed by the service, in batches, after its start',
  ],
];

const actionRules: readonly (readonly [RegExp, Rule])[] = [
  [/^ADD COLUMN (?:IF NOT EXISTS )?"?\w+"? (.+)$/i, checkColumn],
  [/^ADD CONSTRAINT "?\w+"? (.+)$/i, checkConstraint],
  [/^VALIDATE CONSTRAINT\b/i, checkValidation],
  [/^ALTER COLUMN "?\w+"? (?:SET DEFAULT|DROP NOT NULL)\b/i, safe],
  [/^ALTER COLUMN "?(\w+)"? SET NOT NULL$/i, onlyContracting],
  [/^ALTER COLUMN "?\w+"? DROP DEFAULT$/i, onlyContracting],
  [/^DROP (?:COLUMN|CONSTRAINT)\b/i, onlyContracting],
  [/^SET \(/i, safe],
];

/** The rules that a migration breaks, a line each; `earlier` are the scripts before it. */
export function breachesOf({ name, sql }: Migration, earlier = ''): readonly string[] {
  const statements = statementsOf(sql).map((statement) => statement.replaceAll(/\s+/g, ' '));
  const contracts = /^\d+_contract_/.test(name);
  return statements.flatMap((statement, index) => {
    const before = statements.slice(0, index);
    const created = new Set(matchesOf(/^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)/i, before));
    const filled = new Set(matchesOf(attachment, before));
    const context = { created, filled, contracts, statements, earlier };
    const breach = apply(statementRules, statement, context);
    return breach === undefined ? [] : [`${name}: ${statement.slice(0, 100)}: ${breach}`];
  });
}

/** Also within the text of a block. */
const attachment = /\bALTER TABLE (?:ONLY )?"?(\w+)"? ATTACH PARTITION "?(\w+)/i;

/** The first group of the pattern, of each text that it matches. */
function matchesOf(pattern: RegExp, texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => pattern.exec(text)?.[1] ?? []);
}

function apply(
  rules: readonly (readonly [RegExp, Rule])[],
  text: string,
  context: Context,
): string | undefined {
  for (const [pattern, rule] of rules) {
    const match = pattern.exec(text);
    if (match !== null) return rule(match, context);
  }
  return 'it is not known to be safe (deploy/database/migration-rules.ts)';
}

/** Whether a table has no rows yet and is unknown to the previous release. */
function isNew(table: string, { created, filled }: Context): boolean {
  return created.has(table) && !filled.has(table);
}

function checkIndex([, concurrently, table = '']: readonly string[], context: Context): string | undefined {
  if (isNew(table, context)) return undefined;
  if (concurrently === undefined)
    return 'an index of a table with rows is made CONCURRENTLY: writers wait otherwise';
  const dropsFirst = context.statements.some((statement) =>
    /^DROP INDEX CONCURRENTLY IF EXISTS\b/i.test(statement),
  );
  return dropsFirst
    ? isAlone(context)
    : 'DROP INDEX CONCURRENTLY IF EXISTS comes first: an attempt that failed leaves an index that is not valid';
}

function checkDroppedIndex([, concurrently]: readonly string[], context: Context): string | undefined {
  return concurrently === undefined ? 'an index is dropped CONCURRENTLY IF EXISTS' : isAlone(context);
}

/** Requires that a script which runs outside a transaction contains nothing else. */
function isAlone({ statements }: Context): string | undefined {
  return statements.every((statement) => isConcurrent(statement))
    ? undefined
    : 'what runs CONCURRENTLY has a migration of its own, which is no transaction';
}

function checkAlterTable(
  [, table = '', actions = '']: readonly string[],
  context: Context,
): string | undefined {
  if (/^ATTACH PARTITION\b/i.test(actions)) return checkAttachment(table, actions, context);
  if (isNew(table, context)) return undefined;
  if (/^RENAME TO\b/i.test(actions)) return checkRename(table, actions, context);
  return splitActions(actions)
    .map((action) => checkNotNull(table, action, context) ?? apply(actionRules, action, context))
    .find((breach) => breach !== undefined);
}

/** A table with rows becomes the first partition of one that takes its name in the same script. */
function checkRename(table: string, action: string, { statements }: Context): string | undefined {
  const [, name = ''] = /^RENAME TO "?(\w+)"?$/i.exec(action) ?? [];
  const successor = new RegExp(
    `^CREATE TABLE "${table}" \\( ?LIKE "${name}" INCLUDING DEFAULTS(?:,.*)?\\) PARTITION BY RANGE \\("\\w+"\\)$`,
  );
  const attached = statements.some((statement) => {
    const [, parent, partition] = attachment.exec(statement) ?? [];
    return parent === table && partition === name;
  });
  return attached && statements.some((statement) => successor.test(statement))
    ? undefined
    : 'the release before uses the name: it is given to a partitioned table LIKE it, of which it becomes a partition';
}

/** Attaching a partition reads all of its rows under locks, unless a valid constraint proves that they fit. */
function checkAttachment(table: string, action: string, context: Context): string | undefined {
  const [, partition = ''] =
    /^ATTACH PARTITION "?(\w+)"? FOR VALUES FROM \(MINVALUE\) TO \('[^']*'\)$/i.exec(action) ?? [];
  if (!isNew(table, context)) return 'partitions of a table that is in use are made by keep_partitions';
  return new RegExp(`VALIDATE CONSTRAINT "?${partition}_end\\b`, 'i').test(context.earlier)
    ? undefined
    : `it is attached FROM (MINVALUE), and a constraint ${partition}_end that says so is validated in an earlier migration`;
}

function checkPartition([, table = '']: readonly string[], { created }: Context): string | undefined {
  return created.has(table)
    ? undefined
    : 'it waits for every reader of the table, and they for it: keep_partitions makes partitions';
}

/** An index may only be renamed if the same script creates another index with its name, such as that of a partitioned table. */
function checkIndexName([, index = '']: readonly string[], { statements }: Context): string | undefined {
  const again = new RegExp(`^CREATE INDEX "${index}"|^CREATE TABLE .*CONSTRAINT "${index}"`, 'i');
  return statements.some((statement) => again.test(statement))
    ? undefined
    : 'the index keeps its name, unless the same script gives it to another';
}

/** Functions by which a block may compute values. */
const valueFunctions = ['date_trunc', 'greatest', 'max', 'now', 'pg_get_constraintdef', 'substring'];

/** A block executes one statement with computed values, and is judged like that statement. */
function checkBlock([, block = '']: readonly string[], context: Context): string | undefined {
  const executed = /^\$\$ BEGIN EXECUTE format\('((?:[^']|'')*)', ([^;]+)\); END;? \$\$$/i.exec(block);
  const [, text = '', values = ''] = executed ?? [];
  const calls = [...values.matchAll(/(\w+)\s*\(/g)].map(([, name = '']) => name.toLowerCase());
  const isPlain =
    !/%(?!L)/.test(text) &&
    calls.every((name) => valueFunctions.includes(name)) &&
    !/\b(?:INSERT|UPDATE|DELETE|MERGE|INTO|FOR|LOCK)\b/i.test(values);
  return executed !== null && isPlain
    ? apply(statementRules, text.replaceAll("''", "'").replaceAll('%L', "'value'"), context)
    : `a block is one EXECUTE format('…', values), with %L for values of ${valueFunctions.join(', ')}`;
}

/** PostgreSQL reads every row under its strongest lock, unless a valid constraint already proves it. */
function checkNotNull(table: string, action: string, { earlier }: Context): string | undefined {
  const [, column] = /^ALTER COLUMN "?(\w+)"? SET NOT NULL$/i.exec(action) ?? [];
  if (column === undefined) return undefined;
  const constraint = `${table}_${column}_not_null`;
  return new RegExp(`VALIDATE CONSTRAINT "?${constraint}\\b`, 'i').test(earlier)
    ? undefined
    : `a constraint ${constraint} CHECK ("${column}" IS NOT NULL) is validated in an earlier migration`;
}

/** Actions of one ALTER TABLE: commas within parentheses, brackets and texts separate none. */
function splitActions(actions: string): readonly string[] {
  const parts = actions.match(/(?:'(?:[^']|'')*'|\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]|[^,])+/g) ?? [];
  return parts.map((part) => part.trim());
}

function checkColumn([, definition = '']: readonly string[]): string | undefined {
  if (/\b(?:UNIQUE|PRIMARY KEY|REFERENCES|CHECK|GENERATED)\b|\b(?:small|big)?serial\b/i.test(definition)) {
    return 'a column that is added has neither index, constraint nor generated values: rows are read or rewritten';
  }
  const [, expression] = /\bDEFAULT (.+)$/i.exec(definition) ?? [];
  if (expression === undefined) {
    return /\bNOT NULL\b/i.test(definition)
      ? 'the release before inserts rows without it: it needs a default'
      : undefined;
  }
  const calls = [...expression.matchAll(/(\w+)\s*\(/g)].map(([, name = '']) => name.toLowerCase());
  const changing = calls.find((name) => name !== 'now');
  return changing === undefined
    ? undefined
    : `its default ${changing}() may differ for each row, so all are rewritten`;
}

function checkConstraint([, definition = '']: readonly string[]): string | undefined {
  if (/^(?:UNIQUE|PRIMARY KEY) USING INDEX\b/i.test(definition)) return undefined;
  if (/^(?:FOREIGN KEY|CHECK)\b.*\bNOT VALID$/i.test(definition)) return undefined;
  return 'it reads every row: add it NOT VALID and validate it in a later migration, or USING INDEX';
}

function checkValidation(_match: readonly string[], { statements }: Context): string | undefined {
  const alone = statements.every((statement) => /^ALTER TABLE \S+ VALIDATE CONSTRAINT \S+$/i.test(statement));
  return alone
    ? undefined
    : 'reading every row takes long: no other lock is held meanwhile, so it has a migration of its own';
}

function checkInsert([, table = '']: readonly string[], context: Context): string | undefined {
  return isNew(table, context) ? undefined : 'rows are written by the service, after its start';
}
