import {
  commonFields,
  databaseFields,
  milliseconds,
  passportPublicKeys,
  port,
  readConfig,
} from '@platform/service-kit/config/config.ts';
import { grpcCallers } from '@platform/service-kit/grpc/callers.ts';
import { checkGrpcTls, grpcTlsFields } from '@platform/service-kit/grpc/tls.ts';
import { tracingFields } from '@platform/service-kit/telemetry/tracer.ts';
import { host } from '@platform/service-kit/values/addresses.ts';
import { z } from 'zod';

const schema = z
  .object({
    ...commonFields,
    ...grpcTlsFields,
    ...tracingFields,
    /** Further callers of its methods. */
    GRPC_CALLERS: grpcCallers,
    HTTP_HOST: host.default('0.0.0.0'),
    HTTP_PORT: port,
    GRPC_HOST: host.default('0.0.0.0'),
    GRPC_PORT: port,
    ...databaseFields,
    /** Database URL for LISTEN, which needs a session. Default: DATABASE_URL. */
    LISTEN_DATABASE_URL: databaseFields.DATABASE_URL.optional(),
    PASSPORT_PUBLIC_KEYS: passportPublicKeys,
    PURGE_INTERVAL_MS: milliseconds.default(60_000),
    /** Days for which events are kept, and the feed goes back. */
    EVENT_RETENTION_DAYS: z.coerce
      .number('must be days')
      .refine(Number.isInteger, 'must be whole days')
      .min(1)
      .max(3_650)
      .default(30),
  })
  .superRefine(checkGrpcTls, { when: () => true })
  .superRefine(checkListener, { when: () => true });

export type Config = z.output<typeof schema>;

/** Refuses LISTEN through a pooler in transaction mode, where it would silently receive nothing. */
function checkListener(
  {
    DATABASE_POOLING,
    LISTEN_DATABASE_URL,
  }: { DATABASE_POOLING?: string; LISTEN_DATABASE_URL?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (DATABASE_POOLING !== 'transaction' || LISTEN_DATABASE_URL !== undefined) return;
  const message = 'is not set: with DATABASE_POOLING=transaction, LISTEN needs a URL without that pooler';
  context.addIssue({ code: 'custom', path: ['LISTEN_DATABASE_URL'], message });
}

/** The service's configuration. @throws ConfigError that names every invalid variable */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  return readConfig(schema, environment);
}
