import { businessService } from '@platform/protos/business';
import { apiKeyService, applicationService, grantService } from '@platform/protos/identity';
import { readConfig } from '@platform/service-kit/config.ts';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc-client.ts';
import { adminSchema, findAddresses } from './addresses.ts';
import type { Terminal } from './terminal.ts';

/** The services that the administration speaks to. */
export interface Clients {
  readonly keys: GrpcClient<typeof apiKeyService>['rpc'];
  readonly applications: GrpcClient<typeof applicationService>['rpc'];
  readonly grants: GrpcClient<typeof grantService>['rpc'];
  readonly businesses: GrpcClient<typeof businessService>['rpc'];
}

/** Runs `work` with connections that are closed afterwards. @throws what `work` throws, or that there is nobody to ask */
export async function withClients<T>(terminal: Terminal, work: (clients: Clients) => Promise<T>): Promise<T> {
  const { identity, business, tls } = findAddresses(readConfig(adminSchema, terminal.env));
  const keys = createGrpcClient(apiKeyService, { target: identity, tls });
  const applications = createGrpcClient(applicationService, { target: identity, tls });
  const grants = createGrpcClient(grantService, { target: identity, tls });
  const businesses = createGrpcClient(businessService, { target: business, tls });
  try {
    return await work({
      keys: keys.rpc,
      applications: applications.rpc,
      grants: grants.rpc,
      businesses: businesses.rpc,
    });
  } finally {
    for (const client of [keys, applications, grants, businesses]) client.close();
  }
}
