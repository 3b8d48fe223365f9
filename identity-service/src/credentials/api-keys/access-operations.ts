import { toAddressUse } from '../../traffic/usage-fields.ts';
import type { UsageReader } from '../../traffic/usage-report-store.ts';
import { withFields } from '../../web/dashboard-api/input.ts';
import { businessOperation, type Operation } from '../../web/dashboard-api/operation.ts';
import { toWhitelistCheck } from '../applications/dashboard.ts';
import { previewWhitelist } from '../applications/settings.ts';
import * as specs from './access-schema.ts';
import type { ApiKey, KeyUpdate } from './api-key.ts';
import { freezeApiKey, liftKeyFreeze } from './freeze.ts';
import { getApiKey, type UpdateApiKeyDeps, updateApiKey } from './operations.ts';
import { keyRecord } from './resource.ts';

interface AccessOperationsDeps extends UpdateApiKeyDeps {
  readonly usage: Pick<UsageReader, 'addresses'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Operations on what decides whether a key is accepted: its freeze, and the addresses from which it may be used. */
export function accessOperations(deps: AccessOperationsDeps): Operation[] {
  return [...freezeOperations(deps), ...whitelistOperations(deps)];
}

function freezeOperations(deps: AccessOperationsDeps): Operation[] {
  return [
    businessOperation(specs.freezeApiKey, async ({ actor, businessId, param, body: { reason } }) => {
      const input = { actor, businessId, apiKeyId: param('apiKeyId'), reason };
      const { key, propagation } = await withFields({ invalid_reason: 'reason' }, () =>
        freezeApiKey(deps, input),
      );
      return { apiKey: keyRecord(key), propagation };
    }),
    businessOperation(specs.liftApiKeyFreeze, async ({ actor, businessId, param }) => {
      const input = { actor, businessId, apiKeyId: param('apiKeyId') };
      const { key, propagation } = await liftKeyFreeze(deps, input);
      return { apiKey: keyRecord(key), propagation };
    }),
  ];
}

/** Milliseconds for which an address counts as recent: as long as the use of addresses is kept. */
const recentMs = 30 * 24 * 3_600_000;

/** Effect of an empty whitelist. */
const anyAddress = { errors: {}, allowed: true, shutOut: [] };

function whitelistOperations(deps: AccessOperationsDeps): Operation[] {
  const { usage, now } = deps;
  const callersOf = async (businessId: number, apiKeyId: string) => {
    const { id } = await getApiKey(deps, { businessId, apiKeyId });
    const since = now() - recentMs;
    return { since, callers: await usage.addresses(businessId, [id], since) };
  };
  return [
    businessOperation(specs.allowApiKeyAddress, async ({ actor, businessId, param, body: { address } }) => {
      const input = { actor, businessId, apiKeyId: param('apiKeyId'), update: addition(address) };
      const { key, propagation } = await withFields({ invalid_ip_whitelist: 'address' }, () =>
        updateApiKey(deps, input),
      );
      return { apiKey: keyRecord(key), propagation };
    }),
    businessOperation(specs.listApiKeyCallers, async ({ businessId, param }) => {
      const { since, callers } = await callersOf(businessId, param('apiKeyId'));
      return { since, callers: callers.map(toAddressUse) };
    }),
    businessOperation(
      specs.checkApiKeyWhitelist,
      async ({ businessId, param, body: { ipWhitelist }, clientIp }) => {
        const { callers } = await callersOf(businessId, param('apiKeyId'));
        const known = callers.filter(({ address }) => address !== '');
        const isOpen = ipWhitelist.length === 0;
        return toWhitelistCheck(
          clientIp,
          isOpen ? anyAddress : previewWhitelist(ipWhitelist, clientIp, known),
        );
      },
    ),
  ];
}

/** The update that adds an address. An empty whitelist admits any, and would refuse all others with its first entry. */
function addition(address: string): (key: ApiKey) => KeyUpdate {
  return ({ ipWhitelist }) => ({
    settings: { ipWhitelist: ipWhitelist.length === 0 ? [] : [...ipWhitelist, address] },
    keyTypeGiven: false,
    expirationGiven: false,
  });
}
