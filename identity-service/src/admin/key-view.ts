import type { ApiKeyMessage } from '@platform/protos/identity';
import { toMoment } from './moment.ts';
import { formatRecord, formatTable } from './table.ts';

/** A key as `--json` prints it. */
export function keyJson(key: ApiKeyMessage) {
  return {
    id: key.id,
    businessId: key.businessId,
    name: key.name,
    description: key.description,
    keyType: keyType(key),
    scopes: key.scopes,
    status: status(key),
    lastFour: key.lastFour,
    limit: key.limit,
    createdAt: toMoment(key.createdAtUnixMs),
    expiresAt: toMoment(key.expiresAtUnixMs),
    rotatedAt: toMoment(key.rotatedAtUnixMs),
    lastUsedAt: toMoment(key.lastUsedAtUnixMs),
    lastUsedIp: key.lastUsedIp || null,
  };
}

/** A key as people read it. */
export function keyRecord(key: ApiKeyMessage): string {
  const { lastUsedAtUnixMs, lastUsedIp } = key;
  return formatRecord({
    id: key.id,
    business: String(key.businessId),
    name: key.name,
    description: key.description,
    type: keyType(key),
    scopes: scopes(key),
    status: status(key),
    'key string': `${keyType(key) === 'secret' ? 'sk' : 'rk'}_…${key.lastFour}`,
    limit: `${key.limit} requests per hour`,
    created: toMoment(key.createdAtUnixMs) ?? '',
    expires: toMoment(key.expiresAtUnixMs) ?? 'never',
    rotated: toMoment(key.rotatedAtUnixMs) ?? 'never',
    'last used': lastUsedAtUnixMs === 0 ? 'never' : `${toMoment(lastUsedAtUnixMs)} from ${lastUsedIp}`,
  });
}

/** Several keys as people read them. */
export function keyTable(keys: readonly ApiKeyMessage[]): string {
  const headings = ['ID', 'NAME', 'TYPE', 'STATUS', 'LAST 4', 'SCOPES', 'LIMIT', 'EXPIRES', 'LAST USED'];
  const rows = keys.map((key) => [
    key.id,
    key.name,
    keyType(key),
    status(key),
    key.lastFour,
    scopes(key),
    String(key.limit),
    toMoment(key.expiresAtUnixMs) ?? 'never',
    toMoment(key.lastUsedAtUnixMs) ?? 'never',
  ]);
  return formatTable(headings, rows);
}

const keyType = (key: ApiKeyMessage) => (key.keyType === 'API_KEY_TYPE_SECRET' ? 'secret' : 'restricted');
const status = (key: ApiKeyMessage) => (key.status === 'API_KEY_STATUS_EXPIRED' ? 'expired' : 'active');
const scopes = (key: ApiKeyMessage) => key.scopes.join(',') || 'all';
