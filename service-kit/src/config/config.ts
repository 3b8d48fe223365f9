import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { issueText } from '../input/validation.ts';
import { createTagKey } from '../secrets/checked-token.ts';
import { host } from '../values/addresses.ts';
import { type ConfigIssue, type Environment, readFiles } from './config-files.ts';

/** Missing or invalid environment variables, by name and without their values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(issues: readonly ConfigIssue[]) {
    const lines = issues.map(({ name, message }) => `  ${name}: ${message}`);
    super(`The configuration is not valid:\n${lines.join('\n')}`);
  }
}

/**
 * Reads a service's configuration and reports every invalid variable at once. Variables set to the empty string count as
 * absent. Each variable of an object schema may also come from a file that `<name>_FILE` names.
 * @throws ConfigError
 */
export function readConfig<T extends z.ZodType>(schema: T, environment: Environment): z.output<T> {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const files = readFiles(environment, names);
  const present = Object.fromEntries(
    Object.entries(files.environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(present, { error: issueText });
  if (parsed.success && files.issues.length === 0) return parsed.data;
  const invalid = (parsed.error?.issues ?? []).map((issue) => {
    const name = issue.path.join('.') || 'environment';
    const absent = issue.path.length === 1 && !(String(issue.path[0]) in present);
    return { name, message: absent && issue.code === 'invalid_type' ? 'is not set' : issue.message };
  });
  const unread = new Set(files.issues.map(({ name }) => name));
  throw new ConfigError([...files.issues, ...invalid.filter(({ name }) => !unread.has(name))]);
}

// Not zod's int(), because its failure skips checks of the whole environment, so that issues appear one by one.

/** A TCP port; 0 asks the system for a free one. */
export const port = z.coerce
  .number('must be a port')
  .refine(Number.isInteger, 'must be a port')
  .min(0)
  .max(65535);

/** A whole number of milliseconds. */
export const milliseconds = z.coerce
  .number('must be milliseconds')
  .refine(Number.isInteger, 'must be whole milliseconds')
  .min(1)
  .max(86_400_000);

/** Milliseconds; 0 for no delay. Counts toward the time limit in run-service.ts, most of which requests need. */
const drainDelay = z.coerce
  .number('must be milliseconds')
  .refine(Number.isInteger, 'must be whole milliseconds')
  .min(0)
  .max(10_000, 'must be 10000 at most');

/** Where the service runs; anything but `local` gets every safety check. */
export const mode = z.enum(['local', 'production'], 'must be local or production');

/** An email address that is published, or that the platform writes to. */
export const emailAddress = z.string().regex(/^[^\s@<>"&?]+@[^\s@<>"&?]+$/, 'must be an email address');

export const logLevel = z.enum(['debug', 'info', 'warn', 'error', 'silent']);

const placeholders = /change.?me|example|default|secret|password/i;

/** A secret of at least `bytes` characters that is not a placeholder. */
export function secret(bytes: number) {
  return z
    .string()
    .min(bytes, `must have at least ${bytes} characters`)
    .refine((value) => !placeholders.test(value), 'looks like a placeholder')
    .refine((value) => new Set(value).size >= 8, 'is not random');
}

/** A comma-separated list; blanks around entries are dropped. */
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

/** GATEWAY_SECRET: gateways send the first; identity-service accepts each. */
export const gatewaySecrets = list.pipe(z.tuple([secret(32)], secret(32)));

/** CREDENTIAL_TAG_KEYS: the first makes the tags of new credentials; the gateway accepts tags of all. */
export const credentialTagKeys = list
  .pipe(z.tuple([secret(32)], secret(32)))
  .transform(([first, ...others]) => [createTagKey(first), ...others.map(createTagKey)] as const);

const encryptionKey = z.string().transform((base64, context): KeyObject => {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 32) return createSecretKey(bytes);
  context.addIssue({ code: 'custom', message: 'must be base64 of 32 bytes' });
  return z.NEVER;
});

/** ENCRYPTION_KEYS of AES-256: the first seals, all of them open. */
export const encryptionKeys = list.pipe(z.tuple([encryptionKey], encryptionKey));

/** PASSPORT_PUBLIC_KEYS: a passport may have a signature of any. */
export const passportPublicKeys = list
  .transform((entries) => entries.map(readPublicKey))
  .refine((keys) => keys.length > 0 && !keys.includes(undefined), {
    error: 'must be Ed25519 public keys (base64 of SPKI DER), separated by commas',
  })
  .transform((keys) => keys.filter((key) => key !== undefined));

function readPublicKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Fields that every service shares. */
export const commonFields = {
  MODE: mode.default('production'),
  LOG_LEVEL: logLevel.default('info'),
  OPS_PORT: port,
  OPS_HOST: host.default('0.0.0.0'),
  DRAIN_DELAY_MS: drainDelay.default(5_000),
};

const databaseUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// URL' });

/** Fields of services that may reach their database through a pooler. */
export const databaseFields = {
  DATABASE_URL: databaseUrl.describe('of a database that exists'),
  /** Migrates instead of DATABASE_URL: without a pooler, and as the role that owns the tables. */
  MIGRATION_DATABASE_URL: databaseUrl.optional(),
  /** transaction: a pooler at DATABASE_URL lends connections to PostgreSQL for one transaction each. */
  DATABASE_POOLING: z.enum(['session', 'transaction'], 'must be session or transaction').default('session'),
  DATABASE_CONNECTIONS: z.coerce.number('must be a number').int().min(1).max(100).default(10),
  /** Longest wait of a request for connections. */
  DATABASE_WAIT_MS: milliseconds.default(800),
};

/** The values of `databaseFields`. */
export type DatabaseConfig = z.output<z.ZodObject<typeof databaseFields>>;
