import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { businessService } from '@platform/protos/business';
import {
  apiKeyService,
  applicationService,
  businessAccountService,
  grantService,
  limitRequestService,
  operatorService,
  personService,
  webhookEndpointService,
} from '@platform/protos/identity';
import { deliveryService, endpointService } from '@platform/protos/webhook';
import { mode, readConfig } from '@platform/service-kit/config.ts';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { checkGrpcTls, type GrpcTls, grpcTlsFields, readGrpcTls } from '@platform/service-kit/grpc/tls.ts';
import { z } from 'zod';
import type { Terminal } from './output.ts';

/** gRPC targets and TLS settings of the services. */
export interface Addresses {
  readonly identity: string;
  readonly business: string;
  /** Absent in an installation that has not named it. */
  readonly webhook: string | undefined;
  readonly tls: GrpcTls;
}

/** Variables of the admin CLI. Without both targets it uses the running local platform. */
const adminSchema = z
  .object({
    ...grpcTlsFields,
    MODE: mode.optional(),
    IDENTITY_GRPC_TARGET: z.string().optional(),
    BUSINESS_GRPC_TARGET: z.string().optional(),
    WEBHOOK_GRPC_TARGET: z.string().optional(),
    LOCAL_DIR: z.string().default('.local'),
  })
  .transform((value) => ({ ...value, MODE: value.MODE ?? (isRemote(value) ? 'production' : 'local') }))
  .superRefine(checkGrpcTls);

type AdminConfig = z.output<typeof adminSchema>;

/** True when both targets are set, so the local platform is not used. */
function isRemote(value: { IDENTITY_GRPC_TARGET?: unknown; BUSINESS_GRPC_TARGET?: unknown }): boolean {
  return value.IDENTITY_GRPC_TARGET !== undefined && value.BUSINESS_GRPC_TARGET !== undefined;
}

const runFileSchema = z.object({
  identityGrpcTarget: z.string(),
  businessGrpcTarget: z.string(),
  webhookGrpcTarget: z.string().optional(),
});

/** Addresses from the environment, else those of the local platform. @throws Error when there are none */
function findAddresses(config: AdminConfig): Addresses {
  const tls = readGrpcTls(config);
  const {
    IDENTITY_GRPC_TARGET: identity,
    BUSINESS_GRPC_TARGET: business,
    WEBHOOK_GRPC_TARGET: webhook,
  } = config;
  if (identity !== undefined && business !== undefined) return { identity, business, webhook, tls };
  const local = readRunFile(join(config.LOCAL_DIR, 'run.json'));
  return {
    identity: identity ?? local.identityGrpcTarget,
    business: business ?? local.businessGrpcTarget,
    webhook: webhook ?? local.webhookGrpcTarget,
    tls,
  };
}

function readRunFile(path: string): z.output<typeof runFileSchema> {
  try {
    return runFileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Error(
      `No platform found: ${path} does not exist (npm start creates it), and IDENTITY_GRPC_TARGET and BUSINESS_GRPC_TARGET are not both set.`,
    );
  }
}

/** Addresses that the environment names, else those of the local platform. @throws ConfigError, or Error when there are none */
export function readAddresses(env: Terminal['env']): Addresses {
  return findAddresses(readConfig(adminSchema, env));
}

/** gRPC clients of the services. */
export interface Clients {
  readonly keys: GrpcClient<typeof apiKeyService>['rpc'];
  readonly applications: GrpcClient<typeof applicationService>['rpc'];
  readonly grants: GrpcClient<typeof grantService>['rpc'];
  readonly accounts: GrpcClient<typeof businessAccountService>['rpc'];
  readonly limitRequests: GrpcClient<typeof limitRequestService>['rpc'];
  readonly operators: GrpcClient<typeof operatorService>['rpc'];
  readonly people: GrpcClient<typeof personService>['rpc'];
  readonly businesses: GrpcClient<typeof businessService>['rpc'];
  /** @throws Error when the address of webhook-service is not known */
  webhooks(): {
    readonly endpoints: GrpcClient<typeof endpointService>['rpc'];
    readonly deliveries: GrpcClient<typeof deliveryService>['rpc'];
    /** Changes with an audit event, in identity-service. */
    readonly audited: GrpcClient<typeof webhookEndpointService>['rpc'];
  };
}

/** Runs `work` with clients, and closes them afterwards. @throws Error without addresses, or an error of `work` */
export async function withClients<T>(terminal: Terminal, work: (clients: Clients) => Promise<T>): Promise<T> {
  const { identity, business, webhook, tls } = readAddresses(terminal.env);
  const keys = createGrpcClient(apiKeyService, { target: identity, tls });
  const applications = createGrpcClient(applicationService, { target: identity, tls });
  const grants = createGrpcClient(grantService, { target: identity, tls });
  const accounts = createGrpcClient(businessAccountService, { target: identity, tls });
  const limitRequests = createGrpcClient(limitRequestService, { target: identity, tls });
  const operators = createGrpcClient(operatorService, { target: identity, tls });
  const people = createGrpcClient(personService, { target: identity, tls });
  const businesses = createGrpcClient(businessService, { target: business, tls });
  const opened: { close(): void }[] = [
    ...[keys, applications, grants, accounts, limitRequests, operators, people, businesses],
  ];
  const connectWebhooks = () => {
    if (webhook === undefined)
      throw new Error('WEBHOOK_GRPC_TARGET is not set: the address of webhook-service.');
    const endpoints = createGrpcClient(endpointService, { target: webhook, tls });
    const deliveries = createGrpcClient(deliveryService, { target: webhook, tls });
    const audited = createGrpcClient(webhookEndpointService, { target: identity, tls });
    opened.push(endpoints, deliveries, audited);
    return { endpoints: endpoints.rpc, deliveries: deliveries.rpc, audited: audited.rpc };
  };
  try {
    return await work({
      keys: keys.rpc,
      applications: applications.rpc,
      grants: grants.rpc,
      accounts: accounts.rpc,
      limitRequests: limitRequests.rpc,
      operators: operators.rpc,
      people: people.rpc,
      businesses: businesses.rpc,
      webhooks: connectWebhooks,
    });
  } finally {
    for (const client of opened) client.close();
  }
}
