import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { apiDirectory, fromDocuments } from '@platform/service-kit/config/api-directory.ts';
import {
  commonFields,
  credentialTagKeys,
  emailAddress,
  gatewaySecrets,
  list,
  milliseconds,
  port,
} from '@platform/service-kit/config/config.ts';
import { checkGrpcTls, grpcTlsFields, wantedTls } from '@platform/service-kit/grpc/tls.ts';
import { redisAddress } from '@platform/service-kit/redis/redis.ts';
import { tracingFields } from '@platform/service-kit/telemetry/tracer.ts';
import {
  grpcTarget,
  host,
  pageAddress,
  publicOrigin,
  upstreamOrigin,
} from '@platform/service-kit/values/addresses.ts';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { checkPublicTls, publicTlsFields } from './edge/tls.ts';
import { originProblems } from './own-origins.ts';
import { createRequestChecks } from './validation/validate-request.ts';

const origins = list.pipe(z.array(upstreamOrigin).min(1, 'names no origin'));

const fields = z.object({
  ...commonFields,
  ...grpcTlsFields,
  ...tracingFields,
  ...publicTlsFields,
  HTTP_HOST: host.default('0.0.0.0'),
  PORT: port.default(8080),
  /** Processes that share the port. `auto`: one per processor, or fewer if the container's memory is too small for them. */
  WORKERS: z
    .union([z.literal('auto'), z.coerce.number().int().min(1).max(64)], 'must be auto, or 1 to 64')
    .default(1),
  IDENTITY_GRPC_TARGET: grpcTarget,
  IDENTITY_HTTP_ORIGINS: origins,
  BUSINESS_HTTP_ORIGINS: origins,
  API_DIR: apiDirectory.transform((api, context) =>
    fromDocuments(context, () => ({ ...api, requestChecks: createRequestChecks(api) })),
  ),
  GATEWAY_SECRET: gatewaySecrets,
  CREDENTIAL_TAG_KEYS: credentialTagKeys,
  UNKNOWN_CREDENTIALS_PER_MINUTE: z.coerce.number().int().min(1).default(100),
  REDIS_URL: redisAddress.optional(),
  REDIS_TIMEOUT_MS: milliseconds.default(50),
  TRUSTED_PROXIES: list
    .pipe(z.array(z.string().refine(isCidr, 'must be a list of addresses or CIDRs')))
    .default([]),
  MAX_BODY_BYTES: z.coerce.number().int().min(0).default(104_857_600),
  MAX_CONNECTIONS: z.coerce.number().int().min(1).default(10_000),
  MAX_CONNECTIONS_PER_CLIENT: z.coerce.number().int().min(1).default(1_000),
  // The server cuts clients after 61 s without a byte: at most 18 + 10 (AUTHORIZE_TIMEOUT_MS) + 2 (slot) + 30 s (events).
  UPSTREAM_TIMEOUT_MS: milliseconds.max(18_000, 'must be 18000 at most').default(7_500),
  /** Limit for identity-service to respond to a keep-alive ping; past it the connection is closed and its calls fail. */
  GRPC_KEEPALIVE_TIMEOUT_MS: milliseconds.default(1_000),
  AUTHORIZE_TIMEOUT_MS: milliseconds.max(10_000, 'must be 10000 at most').default(1_000),
  IDENTITY_PATIENCE_MS: milliseconds.default(250),
  REPORT_INTERVAL_MS: milliseconds.default(3_000),
  ANSWER_CACHE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  DOCS_URL: pageAddress.default('/docs/errors'),
  /** Origin of the platform, as the documentation names it. */
  PUBLIC_URL: publicOrigin.optional(),
  /** Where the documentation sends people with questions; support@ the host of PUBLIC_URL where absent. */
  SUPPORT_EMAIL: emailAddress.optional(),
  /** For reports of vulnerabilities. */
  SECURITY_CONTACT: z
    .url({ protocol: /^(mailto|https)$/, error: 'must be a mailto: or https: URL' })
    .optional(),
  /** Directory of the built documentation. */
  DOCS_DIR: z.string().default(resolve(import.meta.dirname, '../../docs-site/dist')),
});

/**
 * Environment of the gateway, described in `.env.example`. The last check also runs when single variables are
 * invalid, so that all errors are reported at once.
 */
export const gatewayConfig = fields.superRefine(checkSafety, { when: () => true });

export type GatewayConfig = z.output<typeof fields>;

function checkSafety(value: GatewayConfig, context: z.RefinementCtx): void {
  checkGrpcTls(value, context);
  checkOrigins(value, context);
  checkOwnDocuments(value, context);
  checkPublicTls(value, context);
  if (value.MODE === 'local') return;
  const addIssue = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const isMissing = 'is not set: only local mode does without';
  if (value.REDIS_URL === undefined) addIssue('REDIS_URL', isMissing);
  if (value.PUBLIC_URL === undefined) addIssue('PUBLIC_URL', isMissing);
  if (!existsSync(join(value.DOCS_DIR, 'pages', 'index.html'))) {
    addIssue('DOCS_DIR', 'holds no built documentation: npm run build makes one');
  }
}

/** Passwords and client secrets travel to these origins: encrypted whenever gRPC is. */
function checkOrigins(value: GatewayConfig, context: z.RefinementCtx): void {
  const isMutual = wantedTls(value) === 'mutual';
  const message = isMutual
    ? 'must be https:// origins, since GRPC_TLS is mutual'
    : 'must be http:// origins: https:// needs GRPC_TLS=mutual';
  for (const name of ['IDENTITY_HTTP_ORIGINS', 'BUSINESS_HTTP_ORIGINS'] as const) {
    const origins = z.array(z.string()).catch([]).parse(value[name]);
    if (origins.some((origin) => origin.startsWith('https:') !== isMutual)) {
      context.addIssue({ code: 'custom', path: [name], message });
    }
  }
}

/** Passports travel to the operator's services: encrypted as well, and never to a service of the platform. */
function checkOwnDocuments(value: GatewayConfig, context: z.RefinementCtx): void {
  const { upstreams = [] }: Partial<GatewayConfig['API_DIR']> = value.API_DIR;
  const platform = z
    .array(z.url())
    .catch([])
    .parse([value.IDENTITY_HTTP_ORIGINS, value.BUSINESS_HTTP_ORIGINS, value.PUBLIC_URL ?? []].flat());
  const isMutual = wantedTls(value) === 'mutual';
  for (const message of originProblems(upstreams, { platform, isMutual })) {
    context.addIssue({ code: 'custom', path: ['API_DIR'], message });
  }
}

function isCidr(text: string): boolean {
  const [address = ''] = text.split('/');
  return isIP(address) !== 0 && (address === text || ipaddr.isValidCIDR(text));
}
