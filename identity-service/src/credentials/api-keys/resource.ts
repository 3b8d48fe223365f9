import type { ApiKey } from './api-key.ts';

/** Key in the response to a change. */
export function keyRecord(key: ApiKey) {
  return {
    ...key,
    scopes: [...key.scopes],
    ipWhitelist: [...key.ipWhitelist],
    lastUsedIp: key.lastUsedIp ?? null,
    createdBy: key.createdBy ?? null,
    secretSeenBy: key.secretSeenBy ?? null,
    freeze: key.freeze === undefined ? null : { ...key.freeze, frozenBy: key.freeze.frozenBy ?? null },
  };
}
