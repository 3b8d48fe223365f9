import { canaryKeyService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { TestKey } from './api-keys.ts';
import { call, callPatience } from './patience.ts';

/** A key whose string identity-service created, and whether gateways know that the previous one has ended. */
export interface TakenKey extends TestKey {
  readonly propagation: 'confirmed' | 'pending';
}

/** Calls that the process of identity-service carries out for the canary. Tests make all other changes in their own process. */
export interface CanaryKeys {
  /** Returns the restricted key of a name with a new string, and ends the previous one. */
  takeKey(
    name: string,
    wanted?: { readonly scopes?: readonly string[]; readonly limit?: number },
  ): Promise<TakenKey>;
  disconnect(): void;
}

export function connectCanaryKeys(target: string, businessId: number): CanaryKeys {
  const tls = { kind: 'plain' } as const;
  const { rpc, close } = createGrpcClient(canaryKeyService, { target, tls, ...callPatience });
  return {
    takeKey: async (name, { scopes = ['business:read'], limit = 0 } = {}) => {
      const request = { businessId, name, scopes: [...scopes], limit };
      const { apiKeyId: id, keyString, propagation } = await rpc.TakeKey(request, call);
      return {
        id,
        businessId,
        keyString,
        propagation: propagation === 'PROPAGATION_CONFIRMED' ? 'confirmed' : 'pending',
      };
    },
    disconnect: close,
  };
}
