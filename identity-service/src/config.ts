import { createPrivateKey, type KeyObject } from 'node:crypto';
import { commonFields, list, port, secret } from '@platform/service-kit/config.ts';
import { checkGrpcTls, grpcTlsFields } from '@platform/service-kit/grpc-tls.ts';
import { z } from 'zod';

const fields = z.object({
  ...commonFields,
  ...grpcTlsFields,
  GRPC_HOST: z.string().default('0.0.0.0'),
  GRPC_PORT: port,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// URL' }),
  /** Where gateways look credential generations up. */
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' }).optional(),
  BUSINESS_GRPC_TARGET: z.string(),
  /** Current pepper first, then retired ones that are still accepted. */
  KEY_PEPPERS: list.pipe(z.tuple([secret(32)], secret(32))),
  PASSPORT_PRIVATE_KEY: z.string().transform(readPrivateKey),
});

/** The environment of identity-service. */
export const configSchema = fields.superRefine(checkSafety, { when: () => true });

export type Config = z.output<typeof configSchema>;

function checkSafety(value: z.output<typeof fields>, context: z.RefinementCtx): void {
  checkGrpcTls(value, context);
  if (value.MODE !== 'local' && value.REDIS_URL === undefined) {
    context.addIssue({
      code: 'custom',
      path: ['REDIS_URL'],
      message: 'is not set: only local mode does without',
    });
  }
}

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
