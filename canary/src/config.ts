import { readFileSync } from 'node:fs';
import { grpcTarget } from '@platform/service-kit/addresses.ts';
import { commonFields, list, milliseconds, readConfig } from '@platform/service-kit/config.ts';
import { checkGrpcTls, grpcTlsFields } from '@platform/service-kit/grpc/tls.ts';
import { z } from 'zod';

const origin = z
  .url({ protocol: /^https?$/, error: 'must be a list of http:// or https:// origins' })
  .transform((text) => new URL(text));

const schema = z
  .object({
    ...commonFields,
    ...grpcTlsFields,
    IDENTITY_GRPC_TARGET: grpcTarget,
    /** Gateways; a name stands for all of its addresses, each of them a replica. */
    GATEWAY_ORIGINS: list.pipe(z.tuple([origin], origin)),
    /** Certificate authority of gateways with https, where it is none that is known. */
    GATEWAY_CA: z.string().transform(readCertificate).optional(),
    /** Business of the canary's keys. */
    CANARY_BUSINESS_ID: z.coerce.number('must be the identifier of a business').int().min(1),
    /** Between two rounds. */
    CANARY_INTERVAL_MS: milliseconds.default(60_000),
  })
  .superRefine(checkGrpcTls, { when: () => true });

export type Config = z.output<typeof schema>;

/** @throws ConfigError that names every invalid variable */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  return readConfig(schema, environment);
}

function readCertificate(path: string, context: z.RefinementCtx): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    context.addIssue({ code: 'custom', message: 'cannot be read' });
    return z.NEVER;
  }
}
