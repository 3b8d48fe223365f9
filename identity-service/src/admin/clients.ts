import { businessService } from '@platform/protos/business';
import { apiKeyService } from '@platform/protos/identity';
import { readConfig } from '@platform/service-kit/config.ts';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc-client.ts';
import { adminSchema, findAddresses } from './addresses.ts';
import type { Terminal } from './terminal.ts';

/** The services that the administration speaks to. */
export interface Clients {
  readonly keys: GrpcClient<typeof apiKeyService>['rpc'];
  readonly businesses: GrpcClient<typeof businessService>['rpc'];
}

/** Runs `work` with connections that are closed afterwards. @throws what `work` throws, or that there is nobody to ask */
export async function withClients<T>(terminal: Terminal, work: (clients: Clients) => Promise<T>): Promise<T> {
  const { identity, business, tls } = findAddresses(readConfig(adminSchema, terminal.env));
  const keys = createGrpcClient(apiKeyService, { target: identity, tls });
  const businesses = createGrpcClient(businessService, { target: business, tls });
  try {
    return await work({ keys: keys.rpc, businesses: businesses.rpc });
  } finally {
    keys.close();
    businesses.close();
  }
}
