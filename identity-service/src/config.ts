import { createPrivateKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { apiDirectory } from '@platform/service-kit/config/api-directory.ts';
import {
  commonFields,
  credentialTagKeys,
  databaseFields,
  emailAddress,
  encryptionKeys,
  gatewaySecrets,
  list,
  milliseconds,
  passportPublicKeys,
  port,
  secret,
} from '@platform/service-kit/config/config.ts';
import { grpcCallers } from '@platform/service-kit/grpc/callers.ts';
import { checkGrpcTls, type GrpcTlsEnvironment, grpcTlsFields } from '@platform/service-kit/grpc/tls.ts';
import { redisAddress } from '@platform/service-kit/redis/redis.ts';
import { tracingFields } from '@platform/service-kit/telemetry/tracer.ts';
import {
  grpcTarget,
  host,
  isLoopback,
  pageAddress,
  publicOrigin,
} from '@platform/service-kit/values/addresses.ts';
import { z } from 'zod';
import { clickHouseAddress } from './traffic/clickhouse/client.ts';

const fields = z.object({
  ...commonFields,
  ...grpcTlsFields,
  ...tracingFields,
  /** Directory of the operator's OpenAPI documents: the API. */
  API_DIR: apiDirectory,
  /** Further callers of its methods. */
  GRPC_CALLERS: grpcCallers,
  GRPC_HOST: host.default('0.0.0.0'),
  GRPC_PORT: port,
  ...databaseFields,
  /** Milliseconds without a sign of life from PostgreSQL after which lookups of Authorize are rejected. */
  DATABASE_PATIENCE_MS: milliseconds.default(200),
  /** Where the log of requests is; in PostgreSQL where absent. */
  REQUEST_LOG_URL: clickHouseAddress.optional(),
  /** Requests of one business that the log in PostgreSQL keeps; older ones are deleted. */
  REQUEST_LOG_PER_BUSINESS: z.coerce.number('must be a number').min(1_000).default(1_000_000),
  /** Where gateways look credential generations up. */
  REDIS_URL: redisAddress.optional(),
  /** Limit for publishing a change to Redis. Past it, the response says that gateways have not confirmed yet. */
  PROPAGATION_TIMEOUT_MS: milliseconds.default(1_000),
  BUSINESS_GRPC_TARGET: grpcTarget,
  /** Limit for a service to respond to a keep-alive ping; past it the connection is closed and its calls fail. */
  GRPC_KEEPALIVE_TIMEOUT_MS: milliseconds.default(1_000),
  /** Longest time for a call to business-service or webhook-service. */
  SERVICE_TIMEOUT_MS: milliseconds.default(2_000),
  /** Where the dashboard manages webhooks; they are not part of the installation where absent. */
  WEBHOOK_GRPC_TARGET: grpcTarget.optional(),
  /** Current pepper first, then retired ones that are still accepted. */
  KEY_PEPPERS: list.pipe(z.tuple([secret(32)], secret(32))),
  /** Gateways recognize by them what may be a credential. */
  CREDENTIAL_TAG_KEYS: credentialTagKeys,
  PASSPORT_PRIVATE_KEY: z.string().transform(readPrivateKey),
  /** Further keys that verify passports, for services that read them here: the next one and the last one of a rotation. */
  PASSPORT_PUBLIC_KEYS: passportPublicKeys.default([]),

  HTTP_HOST: host.default('0.0.0.0'),
  HTTP_PORT: port,
  /** Sent by the gateway with every request. Requests without it get 404. */
  GATEWAY_SECRET: gatewaySecrets,
  /** Origin under which browsers and applications know the platform; the OAuth issuer. */
  PUBLIC_URL: publicOrigin,
  /** Sign session cookies; current first, then retired ones that are still accepted. */
  SESSION_SECRETS: list.pipe(z.tuple([secret(32)], secret(32))),
  /** Encrypt values that must be read back. The current key is first, then retired ones that still decrypt. */
  ENCRYPTION_KEYS: encryptionKeys,
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
  /** Directory that mails are written to instead, in MODE=local. */
  MAIL_DIR: z.string().optional(),
  MAIL_FROM: z.string().regex(/^[^\r\n]*[^\s@]+@[^\s@]+$/, 'must be a mail address'),
  /** Address that is notified of pending work for operators: verifications and requests for higher limits. */
  OPERATORS_EMAIL: emailAddress.optional(),
  /** The one business for which the certificate of the canary may call. */
  CANARY_BUSINESS_ID: z.coerce.number('must be the identifier of a business').int().min(1).optional(),
  /** Where texts send people with questions; support@ the host of PUBLIC_URL where absent. */
  SUPPORT_EMAIL: emailAddress.optional(),
  /** Where `/` leads people who are not logged in; to a page of this service where absent. */
  FRONT_PAGE_URL: z.url({ protocol: /^https?$/ }).optional(),
  ACCESS_TOKEN_SECONDS: seconds(86_400).default(3_600),
  REFRESH_TOKEN_SECONDS: seconds(31_536_000).default(2_592_000),
  AUTHORIZATION_CODE_SECONDS: seconds(600).default(600),
  /** A session ends after the first limit without use, and after the second limit in any case. */
  SESSION_IDLE_SECONDS: seconds(86_400).default(1_800),
  SESSION_SECONDS: seconds(2_592_000).default(43_200),
  /** Multiplies every limit of the throttles. */
  THROTTLE_SCALE: z.coerce.number('must be a number').positive().max(1_000_000).default(1),
  /** Between two rounds of housekeeping: partitions, expired rows, sizes of tables. */
  PURGE_INTERVAL_MS: milliseconds.default(60_000),
  /** Whether people may make sandboxes. Existing ones go on. */
  SANDBOXES: z.enum(['on', 'off']).default('on'),
  /** Whether `/promises` shows strangers what the canary has measured. */
  PUBLIC_PROMISES: z.enum(['on', 'off']).default('off'),
  /** Where GitHub publishes the keys that sign its reports of leaked keys. Where absent, its door responds with 404. */
  GITHUB_SECRET_SCANNING_KEYS_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Page for integrators. */
  DOCS_URL: pageAddress.default('/docs/errors'),
  /** Directory of the built dashboard. */
  DASHBOARD_DIR: z.string().default(resolve(import.meta.dirname, '../../dashboard/dist')),
});

/** The environment of identity-service. */
export const configSchema = fields.superRefine(checkSafety, { when: () => true });

export type Config = z.output<typeof configSchema>;

/** The part of it that acts need in another process, such as `npm run admin`. */
export const actsSchema = fields
  .pick({
    ...{ MODE: true, GRPC_TLS: true, GRPC_TLS_CA: true, GRPC_TLS_CERT: true, GRPC_TLS_KEY: true },
    ...{ DATABASE_URL: true, DATABASE_POOLING: true, REQUEST_LOG_URL: true },
    ...{
      REDIS_URL: true,
      PROPAGATION_TIMEOUT_MS: true,
      BUSINESS_GRPC_TARGET: true,
      WEBHOOK_GRPC_TARGET: true,
    },
    ...{ API_DIR: true, KEY_PEPPERS: true, CREDENTIAL_TAG_KEYS: true },
    ...{ PUBLIC_URL: true, SUPPORT_EMAIL: true, SMTP_URL: true, MAIL_DIR: true, MAIL_FROM: true },
  })
  .superRefine(checkActs, { when: () => true });

export type ActsConfig = z.output<typeof actsSchema>;

/** Without Redis a revocation would not reach the gateways. */
function checkActs(
  value: Pick<z.output<typeof fields>, 'MODE' | 'REDIS_URL'> & GrpcTlsEnvironment,
  context: z.RefinementCtx,
): void {
  checkGrpcTls(value, context);
  if (value.MODE === 'local' || value.REDIS_URL !== undefined) return;
  const message = 'is not set: only local mode does without';
  context.addIssue({ code: 'custom', path: ['REDIS_URL'], message });
}

function checkSafety(value: z.output<typeof fields>, context: z.RefinementCtx): void {
  checkActs(value, context);
  const addIssue = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  const isLocal = value.MODE === 'local';
  if (value.SMTP_URL === undefined && !(isLocal && value.MAIL_DIR !== undefined)) {
    addIssue('SMTP_URL', 'is not set: only local mode does without, with MAIL_DIR');
  }
  if (!isLocal && !existsSync(join(value.DASHBOARD_DIR, 'index.html'))) {
    addIssue('DASHBOARD_DIR', 'holds no built dashboard: npm run build makes one');
  }
  for (const name of ['PUBLIC_URL', 'GITHUB_SECRET_SCANNING_KEYS_URL'] as const) {
    const address = value[name];
    if (isLocal || typeof address !== 'string' || isTrustworthy(address)) continue;
    addIssue(name, 'must be https outside local mode, except on localhost');
  }
}

/** Passwords, codes and public keys travel from there: TLS, or a connection that never leaves the machine. */
function isTrustworthy(origin: string): boolean {
  return !origin.startsWith('http:') || !URL.canParse(origin) || isLoopback(origin);
}

/** A whole number of seconds. */
function seconds(max: number) {
  return z.coerce.number('must be seconds').refine(Number.isInteger, 'must be whole seconds').min(1).max(max);
}

/** A key of AES-256. */
function readPrivateKey(base64: string, context: z.RefinementCtx): KeyObject {
  try {
    const key = createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Reported below: the error may quote the value.
  }
  context.addIssue({ code: 'custom', message: 'must be an Ed25519 private key: base64 of PKCS #8 DER' });
  return z.NEVER;
}
