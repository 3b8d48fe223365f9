import { readFileSync } from 'node:fs';
import { commonFields, list, milliseconds, port, readConfig } from '@platform/service-kit/config/config.ts';
import { checkGrpcTls, grpcTlsFields } from '@platform/service-kit/grpc/tls.ts';
import { grpcTarget, host } from '@platform/service-kit/values/addresses.ts';
import { z } from 'zod';
import { readSecret } from './signature.ts';

const origin = z
  .url({ protocol: /^https?$/, error: 'must be a list of http:// or https:// origins' })
  .transform((text) => new URL(text));

const schema = z
  .object({
    ...commonFields,
    ...grpcTlsFields,
    IDENTITY_GRPC_TARGET: grpcTarget,
    /** Origins of gateways. Each address of a host name counts as a replica. */
    GATEWAY_ORIGINS: list.pipe(z.tuple([origin], origin)),
    /** Certificate authority of gateways with https, if it is not a public one. */
    GATEWAY_CA: z.string().transform(readCertificate).optional(),
    /** Business of the canary's keys. */
    CANARY_BUSINESS_ID: z.coerce.number('must be the identifier of a business').int().min(1),
    /** Interval between rounds. */
    CANARY_INTERVAL_MS: milliseconds.default(60_000),
    /** Secret of the endpoint that leads to HTTP_PORT. If it is set, webhooks are measured. */
    CANARY_WEBHOOK_SECRET: z.string().transform(readWebhookSecret).optional(),
    HTTP_HOST: host.default('0.0.0.0'),
    HTTP_PORT: port.default(8080),
    /** Time within which an event must be delivered. */
    CANARY_DELIVERY_MS: milliseconds.default(30_000),
    /** An owner of the business and the application that the owner approves. If they are set, refreshes are measured. */
    CANARY_EMAIL: z.email().optional(),
    CANARY_PASSWORD: z.string().optional(),
    CANARY_CLIENT_ID: z.string().optional(),
    CANARY_CLIENT_SECRET: z.string().optional(),
    /** Redirect URI of the application. It receives no requests. */
    CANARY_REDIRECT_URI: z.url().default('https://canary.invalid/callback'),
    /** Interval between tests that use a refresh token twice. */
    CANARY_REUSE_INTERVAL_MS: milliseconds.default(3_600_000),
  })
  .superRefine(checkGrpcTls, { when: () => true })
  .superRefine(checkRefresh, { when: () => true });

export type Config = z.output<typeof schema>;

/** @throws ConfigError that names every invalid variable */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  return readConfig(schema, environment);
}

const refreshFields = [
  'CANARY_EMAIL',
  'CANARY_PASSWORD',
  'CANARY_CLIENT_ID',
  'CANARY_CLIENT_SECRET',
] as const;

/** All of them or none. */
function checkRefresh(
  value: Readonly<Partial<Record<(typeof refreshFields)[number], string | undefined>>>,
  context: z.RefinementCtx,
): void {
  const missing = refreshFields.filter((name) => value[name] === undefined);
  if (missing.length === refreshFields.length) return;
  const others = refreshFields.filter((name) => value[name] !== undefined).join(', ');
  for (const name of missing) {
    context.addIssue({ code: 'custom', path: [name], message: `is not set, and ${others} is` });
  }
}

function readWebhookSecret(text: string, context: z.RefinementCtx): Buffer {
  const secret = readSecret(text);
  if (secret !== undefined) return secret;
  context.addIssue({ code: 'custom', message: 'must be whsec_ and base64, as the endpoint shows it' });
  return z.NEVER;
}

function readCertificate(path: string, context: z.RefinementCtx): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    context.addIssue({ code: 'custom', message: 'cannot be read' });
    return z.NEVER;
  }
}
