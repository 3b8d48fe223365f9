import { createServer } from 'node:net';
import { ConfigError, type ConfigFault } from './config.ts';

/** Variables that name an address to listen on. */
const variables = ['HTTP_HOST', 'GRPC_HOST', 'OPS_HOST'] as const;

/** What the machine says of an address that it does not have. */
const unusable = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Tries the hosts of a configuration before anything else is opened. @throws ConfigError that names every one on which
 * this machine cannot listen
 */
export async function checkHosts(config: Partial<Record<(typeof variables)[number], string>>): Promise<void> {
  const faults: ConfigFault[] = [];
  for (const name of variables) {
    const host = config[name];
    const code = host === undefined ? undefined : await refusalOf(host);
    if (code !== undefined) faults.push({ name, message: `this machine cannot listen there (${code})` });
  }
  if (faults.length > 0) throw new ConfigError(faults);
}

/** Code of the system's refusal to listen there; undefined when it does, or when only the port is at fault. */
function refusalOf(host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== undefined && unusable.has(error.code) ? error.code : undefined),
    );
    probe.listen(0, host, () => probe.close(() => resolve(undefined)));
  });
}
