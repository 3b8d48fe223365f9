import { createPublicKey, type KeyObject } from 'node:crypto';
import { host } from '@platform/service-kit/addresses.ts';
import { commonFields, list, milliseconds, port, readConfig } from '@platform/service-kit/config.ts';
import { grpcCallers } from '@platform/service-kit/grpc/callers.ts';
import { checkGrpcTls, grpcTlsFields } from '@platform/service-kit/grpc/tls.ts';
import { z } from 'zod';

const databaseUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// URL' })
  .describe('of a database that exists');

const publicKeys = list
  .transform((entries) => entries.map(readPublicKey))
  .refine((keys) => keys.length > 0 && !keys.includes(undefined), {
    error: 'must be Ed25519 public keys (base64 of SPKI DER), separated by commas',
  })
  .transform((keys) => keys.filter((key) => key !== undefined));

const schema = z
  .object({
    ...commonFields,
    ...grpcTlsFields,
    /** Further callers of its methods. */
    GRPC_CALLERS: grpcCallers,
    HTTP_HOST: host.default('0.0.0.0'),
    HTTP_PORT: port,
    GRPC_HOST: host.default('0.0.0.0'),
    GRPC_PORT: port,
    DATABASE_URL: databaseUrl,
    DATABASE_CONNECTIONS: z.coerce.number('must be a number').int().min(1).max(100).default(10),
    /** Longest wait of a request for connections. */
    DATABASE_WAIT_MS: milliseconds.default(800),
    PASSPORT_PUBLIC_KEYS: publicKeys,
    PURGE_INTERVAL_MS: milliseconds.default(60_000),
  })
  .superRefine(checkGrpcTls, { when: () => true });

export type Config = z.output<typeof schema>;

/** The service's configuration. @throws ConfigError that names every invalid variable */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  return readConfig(schema, environment);
}

function readPublicKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}
