import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mode } from '@platform/service-kit/config.ts';
import { checkGrpcTls, type GrpcTls, grpcTlsFields, readGrpcTls } from '@platform/service-kit/grpc-tls.ts';
import { z } from 'zod';

/** Where the services are, and how to speak to them. */
export interface Addresses {
  readonly identity: string;
  readonly business: string;
  readonly tls: GrpcTls;
}

/** Variables of the administration, for `readConfig`. Without both targets the running local platform is meant. */
export const adminSchema = z
  .object({
    ...grpcTlsFields,
    MODE: mode.optional(),
    IDENTITY_GRPC_TARGET: z.string().optional(),
    BUSINESS_GRPC_TARGET: z.string().optional(),
    LOCAL_DIR: z.string().default('.local'),
  })
  .transform((value) => ({ ...value, MODE: value.MODE ?? (isRemote(value) ? 'production' : 'local') }))
  .superRefine(checkGrpcTls);

type AdminConfig = z.output<typeof adminSchema>;

/** Both targets are named, so no local platform is asked for. */
function isRemote(value: { IDENTITY_GRPC_TARGET?: unknown; BUSINESS_GRPC_TARGET?: unknown }): boolean {
  return value.IDENTITY_GRPC_TARGET !== undefined && value.BUSINESS_GRPC_TARGET !== undefined;
}

const runFileSchema = z.object({ identityGrpcTarget: z.string(), businessGrpcTarget: z.string() });

/** The addresses that the environment names, else those of the local platform. @throws Error with what to do */
export function findAddresses(config: AdminConfig): Addresses {
  const tls = readGrpcTls(config);
  const { IDENTITY_GRPC_TARGET: identity, BUSINESS_GRPC_TARGET: business } = config;
  if (identity !== undefined && business !== undefined) return { identity, business, tls };
  const local = readRunFile(join(config.LOCAL_DIR, 'run.json'));
  return {
    identity: identity ?? local.identityGrpcTarget,
    business: business ?? local.businessGrpcTarget,
    tls,
  };
}

function readRunFile(path: string): z.output<typeof runFileSchema> {
  try {
    return runFileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Error(
      `No platform to speak to: ${path} is not there (npm start makes it), and IDENTITY_GRPC_TARGET and BUSINESS_GRPC_TARGET are not both set.`,
    );
  }
}
