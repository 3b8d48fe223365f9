import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compileCache } from './compile-cache.ts';
import { importIdentityProgram } from './import-once.ts';
import type { Platform } from './platform.ts';

const program = fileURLToPath(new URL('../../identity-service/src/admin/main.ts', import.meta.url));

/** How a command of the administration ended, and what it printed. */
export interface AdminRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Milliseconds after which a command is killed, and its run rejected. */
const timeoutMs = 60_000;

function execute(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<AdminRun> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { env, timeout: timeoutMs }, (error, out, err) => {
      if (typeof error?.code === 'string' || error?.killed) reject(error);
      else resolve({ code: error?.code ?? 0, out, err });
    });
  });
}

/** Runs the program of the administration with these variables and no others. */
export function runAdminProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<AdminRun> {
  const flags = ['--disable-warning=ExperimentalWarning', program, ...args];
  return execute(process.execPath, flags, { ...compileCache, ...env });
}

/** Runs it with a closed output pipe, as `| head -1` may leave. */
export function runAdminIntoClosedPipe(args: readonly string[]): Promise<AdminRun> {
  const script = 'set -o pipefail; "$@" | true';
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', program, ...args];
  return execute('bash', ['-c', script, 'bash', ...command], process.env);
}

/** Parts of a platform that the administration needs. */
type AdminPlatform = Pick<
  Platform,
  'targets' | 'databases' | 'redis' | 'secrets' | 'publicUrl' | 'mailDirectory' | 'webhooks'
>;

/** The variables of identity-service, with which the administration runs. */
export function adminEnv(platform: AdminPlatform): Readonly<Record<string, string>> {
  const { targets, databases, redis, secrets, publicUrl, mailDirectory, webhooks } = platform;
  return {
    MODE: 'local',
    DATABASE_URL: databases.identity,
    ...(redis && { REDIS_URL: redis.url }),
    IDENTITY_GRPC_TARGET: targets.identity,
    BUSINESS_GRPC_TARGET: targets.business,
    ...(webhooks[0] && { WEBHOOK_GRPC_TARGET: `ipv4:127.0.0.1:${webhooks[0].ports.grpc}` }),
    KEY_PEPPERS: secrets.keyPepper,
    CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
    PUBLIC_URL: publicUrl,
    MAIL_DIR: mailDirectory,
    MAIL_FROM: 'Business API <no-reply@platform.test>',
  };
}

/** Runs the administration against a platform, in the process of the test. */
export async function adminOn(platform: AdminPlatform, ...args: string[]): Promise<AdminRun> {
  const { runAdmin } = await importIdentityProgram();
  const printed = { out: '', err: '' };
  const code = await runAdmin(args, {
    env: adminEnv(platform),
    now: Date.now,
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
  });
  return { code, ...printed };
}

/** Output of a command with --json. @throws when it fails, or writes to standard error */
export async function adminJsonOn(platform: AdminPlatform, ...args: string[]) {
  const { code, out, err } = await adminOn(platform, ...args, '--json');
  if (code !== 0 || err !== '') throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out);
}
