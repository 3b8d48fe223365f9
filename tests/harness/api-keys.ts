import { maskOf } from '@platform/protos/field-mask';
import { type ApiKeyMessage, apiKeyService } from '@platform/protos/identity';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { callPatience } from './patience.ts';

export interface NewKey {
  /** `secret` where absent. */
  readonly type?: 'secret' | 'restricted';
  /** Scopes of a restricted key. */
  readonly scopes?: readonly string[];
  readonly expiresAt?: Date;
  readonly name?: string;
  /** Owner; the platform's demo business where absent. */
  readonly businessId?: number;
}

/** A key as the test holds it. */
export interface TestKey {
  readonly id: string;
  readonly businessId: number;
  /** The string after `Bearer `. */
  readonly keyString: string;
}

export interface KeyChange {
  readonly name?: string;
  readonly description?: string;
  readonly scopes?: readonly string[];
}

/** Whether the change is published, as identity-service reports it: PROPAGATION_CONFIRMED or PROPAGATION_PENDING. */
type Propagation = Awaited<
  ReturnType<GrpcClient<typeof apiKeyService>['rpc']['DeleteApiKey']>
>['propagation'];

/** Calls of identity-service for the setup of tests. Each resolves when identity-service has responded. */
export interface ApiKeys {
  /** The client itself, for everything that has no helper. */
  readonly apiKeyRpc: GrpcClient<typeof apiKeyService>['rpc'];
  createKey(key?: NewKey): Promise<TestKey>;
  updateKey(key: TestKey, change: KeyChange): Promise<Propagation>;
  /** Returns the key with its new string. */
  rotateKey(key: TestKey): Promise<TestKey & { propagation: Propagation }>;
  deleteKey(key: TestKey): Promise<Propagation>;
  setKeyLimit(key: TestKey, limit: number): Promise<Propagation>;
}

const call = { deadlineMs: 30_000 };
const actor = { kind: 'operator', id: 'test', clientIp: '' };

export function connectApiKeys(target: string, demoBusinessId: number): ApiKeys & { disconnect(): void } {
  const { rpc, close } = createGrpcClient(apiKeyService, {
    target,
    tls: { kind: 'plain' },
    ...callPatience,
  });
  const which = (key: TestKey) => ({ actor, businessId: key.businessId, apiKeyId: key.id });
  return {
    apiKeyRpc: rpc,
    disconnect: close,
    createKey: async ({ type = 'secret', scopes = [], expiresAt, name = 'test', businessId } = {}) => {
      const created = await rpc.CreateApiKey(
        {
          actor,
          businessId: businessId ?? demoBusinessId,
          settings: { name, description: '', scopes: [...scopes] },
          keyType: type === 'secret' ? 'API_KEY_TYPE_SECRET' : 'API_KEY_TYPE_RESTRICTED',
          expiresAtUnixMs: expiresAt?.getTime() ?? 0,
        },
        call,
      );
      return testKey(created.apiKey, created.keyString);
    },
    updateKey: async (key, { scopes, ...texts }) => {
      const settings = { ...texts, ...(scopes !== undefined && { scopes: [...scopes] }) };
      const request = { ...which(key), settings, updateMask: maskOf(settings) };
      return (await rpc.UpdateApiKey(request, call)).propagation;
    },
    rotateKey: async (key) => {
      const { apiKey, keyString, propagation } = await rpc.RotateApiKey(which(key), call);
      return { ...testKey(apiKey, keyString), propagation };
    },
    deleteKey: async (key) => (await rpc.DeleteApiKey(which(key), call)).propagation,
    setKeyLimit: async (key, limit) => (await rpc.SetApiKeyLimit({ ...which(key), limit }, call)).propagation,
  };
}

function testKey(apiKey: ApiKeyMessage | null, keyString: string): TestKey {
  if (apiKey === null) throw new Error('identity-service responded without a key.');
  return { id: apiKey.id, businessId: apiKey.businessId, keyString };
}
