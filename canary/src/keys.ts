import { apiKeyService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { ObserveRpc } from '@platform/service-kit/grpc/metrics.ts';
import type { GrpcTls } from '@platform/service-kit/grpc/tls.ts';

/** A key as long as its string is valid. */
export interface CanaryKey {
  readonly id: string;
  readonly keyString: string;
}

/** A key with a new string, and when the old one had ended. */
export interface Rotated extends CanaryKey {
  /** Whether gateways have confirmed that the old string has ended; else they do within 30 seconds. */
  readonly confirmed: boolean;
}

const call = { deadlineMs: 10_000 };

const actor = { kind: 'operator', id: 'canary', clientIp: '' };

/** Requests that a rolling hour admits of the key that is used up. */
export const tinyLimit = 10;

/** Names of the canary's keys: it has one of each, also after a restart. */
const names = { revoked: 'canary', limited: 'canary, used up', writer: 'canary, webhooks' } as const;

type Name = (typeof names)[keyof typeof names];

const scopes: Readonly<Record<Name, readonly string[]>> = {
  [names.revoked]: ['business:read'],
  [names.limited]: ['business:read'],
  [names.writer]: ['orders:read', 'orders:write'],
};

export type Keys = ReturnType<typeof createKeys>;

/** The keys of the canary's business, over gRPC as operators use it. */
export function createKeys(target: string, tls: GrpcTls, businessId: number, observe: ObserveRpc) {
  const { rpc, close } = createGrpcClient(apiKeyService, { target, tls, observe });

  async function find(name: Name): Promise<string | undefined> {
    const { apiKeys } = await rpc.ListApiKeys({ businessId }, call);
    return apiKeys.find(({ settings }) => settings?.name === name)?.id;
  }

  async function create(name: Name): Promise<CanaryKey> {
    const settings = {
      name,
      description: 'Measures the promises of this platform.',
      scopes: [...scopes[name]],
    };
    const keyType = 'API_KEY_TYPE_RESTRICTED';
    const request = { actor, businessId, settings, keyType, expiresAtUnixMs: 0 } as const;
    const { apiKey, keyString } = await rpc.CreateApiKey(request, call);
    return { id: apiKey?.id ?? '', keyString };
  }

  async function rotate(apiKeyId: string): Promise<Rotated> {
    const { keyString, propagation } = await rpc.RotateApiKey({ actor, businessId, apiKeyId }, call);
    return { id: apiKeyId, keyString, confirmed: propagation === 'PROPAGATION_CONFIRMED' };
  }

  /** The key of a name: the one that there is, with a new string, else a new one. */
  async function take(name: Name): Promise<CanaryKey> {
    const id = await find(name);
    return id === undefined ? create(name) : rotate(id);
  }

  return {
    /** The key whose string is replaced in each round. */
    takeRevoked: () => take(names.revoked),
    /** The key that is used up in each hour. */
    takeLimited: async (): Promise<CanaryKey> => {
      const key = await take(names.limited);
      await rpc.SetApiKeyLimit({ actor, businessId, apiKeyId: key.id, limit: tinyLimit }, call);
      return key;
    },
    /** The key that changes an order, of which an event is delivered. */
    takeWriter: () => take(names.writer),
    /** Ends the string of a key, and makes a new one. */
    rotate,
    close,
  };
}
