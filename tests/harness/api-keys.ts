import { actor, type Operations } from './operations.ts';

export interface NewKey {
  /** `secret` where absent. */
  readonly type?: 'secret' | 'restricted';
  /** Scopes of a restricted key. */
  readonly scopes?: readonly string[];
  /** Any address where absent. */
  readonly ipWhitelist?: readonly string[];
  readonly expiresAt?: Date;
  readonly name?: string;
  readonly description?: string;
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

type WhichKey = Pick<TestKey, 'id' | 'businessId'>;

export interface KeyChange {
  readonly name?: string;
  readonly description?: string;
  readonly scopes?: readonly string[];
  readonly ipWhitelist?: readonly string[];
}

export type ApiKeys = ReturnType<typeof apiKeyCalls>;

/** Operations on API keys for the setup of tests. Each resolves when it is done. */
export function apiKeyCalls({ open }: Operations, demoBusinessId: number) {
  const which = ({ id, businessId }: WhichKey) => ({ actor, businessId, apiKeyId: id });
  return {
    createKey: async (wanted: NewKey = {}): Promise<TestKey> => {
      const { type: keyType = 'secret', scopes = [], expiresAt, name = 'test', description = '' } = wanted;
      const { businessId = demoBusinessId, ipWhitelist = [] } = wanted;
      const { createApiKey, acts } = await open();
      const { key, keyString } = await createApiKey(acts, {
        actor,
        businessId,
        settings: { name, description, scopes: [...scopes], ipWhitelist: [...ipWhitelist] },
        keyType,
        expiresAt: expiresAt?.getTime(),
        isConfirmed: true,
      });
      return { id: key.id, businessId, keyString };
    },
    getKey: async (key: WhichKey) => {
      const { getApiKey, acts } = await open();
      return getApiKey(acts, which(key));
    },
    /** Newest first. */
    listKeys: async (businessId: number) => (await open()).acts.keys.list(businessId),
    updateKey: async (key: WhichKey, { scopes, ipWhitelist, ...texts }: KeyChange) => {
      const { updateApiKey, acts } = await open();
      const settings = {
        ...texts,
        ...(scopes !== undefined && { scopes: [...scopes] }),
        ...(ipWhitelist !== undefined && { ipWhitelist: [...ipWhitelist] }),
      };
      const update = { settings, keyTypeGiven: false, expirationGiven: false };
      return (await updateApiKey(acts, { ...which(key), update })).propagation;
    },
    /** Returns the key with its new string. */
    rotateKey: async (key: WhichKey) => {
      const { rotateApiKey, acts } = await open();
      const { keyString, propagation } = await rotateApiKey(acts, { ...which(key), isConfirmed: true });
      return { id: key.id, businessId: key.businessId, keyString, propagation };
    },
    deleteKey: async (key: WhichKey) => {
      const { deleteApiKey, acts } = await open();
      return deleteApiKey(acts, which(key));
    },
    freezeKey: async (key: WhichKey, reason = '') => {
      const { freezeApiKey, acts } = await open();
      return (await freezeApiKey(acts, { ...which(key), reason })).propagation;
    },
    setKeyLimit: async (key: WhichKey, limit: number) => {
      const { setApiKeyLimit, acts } = await open();
      return (await setApiKeyLimit(acts, { ...which(key), limit })).propagation;
    },
  };
}
