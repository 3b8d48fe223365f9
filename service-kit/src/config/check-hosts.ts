import { createServer } from 'node:net';
import { ConfigError } from './config.ts';
import type { ConfigIssue } from './config-files.ts';

/** Variables that name an address to listen on. */
const variables = ['HTTP_HOST', 'GRPC_HOST', 'OPS_HOST'] as const;

/** Error codes for an address that this machine does not have. */
const unusable = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN']);

/** Tries to listen on the hosts of a configuration. @throws ConfigError that names every one that this machine lacks */
export async function checkHosts(config: Partial<Record<(typeof variables)[number], string>>): Promise<void> {
  const issues: ConfigIssue[] = [];
  for (const name of variables) {
    const host = config[name];
    const code = host === undefined ? undefined : await errorCodeOf(host);
    if (code !== undefined) issues.push({ name, message: `this machine cannot listen there (${code})` });
  }
  if (issues.length > 0) throw new ConfigError(issues);
}

/** Error code of an unusable host; undefined for a usable one. */
function errorCodeOf(host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== undefined && unusable.has(error.code) ? error.code : undefined),
    );
    probe.listen(0, host, () => probe.close(() => resolve(undefined)));
  });
}
