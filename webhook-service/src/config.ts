import { createSecretKey, type KeyObject } from 'node:crypto';
import { apiDirectory } from '@platform/service-kit/config/api-directory.ts';
import { commonFields, list, milliseconds, port, readConfig } from '@platform/service-kit/config/config.ts';
import { grpcCallers } from '@platform/service-kit/grpc/callers.ts';
import { checkGrpcTls, grpcTlsFields } from '@platform/service-kit/grpc/tls.ts';
import { tracingFields } from '@platform/service-kit/telemetry/tracer.ts';
import { grpcTarget, host } from '@platform/service-kit/values/addresses.ts';
import { z } from 'zod';
import { networks, ports } from './addresses/address.ts';

const schema = z
  .object({
    ...commonFields,
    ...grpcTlsFields,
    ...tracingFields,
    /** Types of events of the operator's services. */
    API_DIR: apiDirectory,
    /** Further callers of its methods. */
    GRPC_CALLERS: grpcCallers,
    GRPC_HOST: host.default('0.0.0.0'),
    GRPC_PORT: port,
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// URL' }),
    DATABASE_CONNECTIONS: z.coerce.number('must be a number').int().min(1).max(100).default(10),
    /** Longest wait of a request for connections. */
    DATABASE_WAIT_MS: milliseconds.default(800),
    /** Limit for a service to respond to a keep-alive ping; past it the connection is closed and its calls fail. */
    GRPC_KEEPALIVE_TIMEOUT_MS: milliseconds.default(1_000),
    IDENTITY_GRPC_TARGET: grpcTarget,
    BUSINESS_GRPC_TARGET: grpcTarget,
    /** Seal the secrets of endpoints; current first, then retired ones that still open. */
    ENCRYPTION_KEYS: list.pipe(z.tuple([encryptionKey()], encryptionKey())),
    /** Networks that may be dialed although they are not public. */
    WEBHOOK_ALLOWED_NETWORKS: networks.default([]),
    /** Ports of receivers. */
    WEBHOOK_PORTS: ports.default(new Set([443])),
    /** Endpoints that one process sends to at once. */
    WEBHOOK_TURNS: z.coerce.number('must be a number').int().min(1).max(5_000).default(500),
    /** For a whole attempt: lookup, connection, request and response. */
    ATTEMPT_TIMEOUT_MS: milliseconds.default(15_000),
    /** For one request of a check of a receiver. */
    CHECK_TIMEOUT_MS: milliseconds.default(5_000),
    /** Response time above which a check reports a receiver as slow. */
    CHECK_SLOW_MS: milliseconds.default(2_000),
    /** Interval for listing changed feeds. */
    FEED_INTERVAL_MS: milliseconds.default(10_000),
    /** Interval for warning owners of failing endpoints, and for removing deleted applications and endpoints. */
    ENDPOINT_INTERVAL_MS: milliseconds.default(30_000),
    PURGE_INTERVAL_MS: milliseconds.default(60_000),
  })
  .superRefine(checkGrpcTls, { when: () => true });

export type Config = z.output<typeof schema>;

/** The service's configuration. @throws ConfigError that names every invalid variable */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  return readConfig(schema, environment);
}

/** A key of AES-256. */
function encryptionKey() {
  return z.string().transform((base64, context): KeyObject => {
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length === 32) return createSecretKey(bytes);
    context.addIssue({ code: 'custom', message: 'must be base64 of 32 bytes' });
    return z.NEVER;
  });
}
