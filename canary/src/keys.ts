import { canaryKeyService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { ObserveRpc } from '@platform/service-kit/grpc/metrics.ts';
import type { GrpcTls } from '@platform/service-kit/grpc/tls.ts';

/** A key with its current string. */
export interface CanaryKey {
  readonly id: string;
  readonly keyString: string;
}

/** A key with a new string, and whether the old one has ended at all gateways. */
export interface Rotated extends CanaryKey {
  /** Whether gateways have confirmed that the old string has ended. Otherwise it ends within 30 seconds. */
  readonly confirmed: boolean;
}

const call = { deadlineMs: 10_000 };

/** Requests per rolling hour of the key that is used up. */
export const tinyLimit = 10;

interface Wanted {
  /** The canary has one key of each name, also after a restart. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly limit?: number;
}

const revoked: Wanted = { name: 'canary', scopes: ['business:read'] };
const limited: Wanted = { name: 'canary, used up', scopes: ['business:read'], limit: tinyLimit };
const writer: Wanted = { name: 'canary, webhooks', scopes: ['orders:read', 'orders:write'] };

export type Keys = ReturnType<typeof createKeys>;

/** The keys of the canary's business, over gRPC. */
export function createKeys(target: string, tls: GrpcTls, businessId: number, observe: ObserveRpc) {
  const { rpc, close } = createGrpcClient(canaryKeyService, { target, tls, observe });

  /** Rotates the key of a name, or creates it. */
  async function take({ name, scopes, limit = 0 }: Wanted): Promise<Rotated> {
    const request = { businessId, name, scopes: [...scopes], limit };
    const { apiKeyId: id, keyString, propagation } = await rpc.TakeKey(request, call);
    return { id, keyString, confirmed: propagation === 'PROPAGATION_CONFIRMED' };
  }

  return {
    /** Rotates the key for revocations, so that its previous string ends. */
    takeRevoked: () => take(revoked),
    /** The key that uses up its limit in each hour. */
    takeLimited: () => take(limited),
    /** The key that changes an order to cause an event. */
    takeWriter: () => take(writer),
    close,
  };
}
