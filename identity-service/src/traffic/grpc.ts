import type {
  CredentialType,
  RequestRecordMessage,
  RetiredCallsMessage,
  UsageCount as UsageCountMessage,
  usageService,
} from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import {
  type ExposedRequest,
  exposedRequestSchema,
  type RequestLog,
  requestBatchSchema,
} from './request-log.ts';
import type { RetiredStore } from './retired-store.ts';
import { retiredBatchSchema } from './retired-string.ts';
import { usageBatchSchema } from './usage.ts';
import type { UsageStore } from './usage-store.ts';

interface UsageHandlersDeps {
  readonly usage: UsageStore;
  readonly requests: Pick<RequestLog, 'add'>;
  readonly retired: Pick<RetiredStore, 'addOnce'>;
  /** Records a request of an application over http, if its secret is right. */
  readonly recordExposedSecret: (request: ExposedRequest) => Promise<void>;
}

/** Handlers of identity.v1.UsageService. */
export function usageHandlers({
  usage,
  requests,
  retired,
  recordExposedSecret,
}: UsageHandlersDeps): UnaryHandlers<typeof usageService> {
  return {
    RecordUsage: async ({ batchId, counts }) => {
      await usage.addOnce(parseRequest(usageBatchSchema, { batchId, counts: counts.map(toCount) }));
      return {};
    },
    RecordRequests: async ({ batchId, records, unlisted }) => {
      const minutes = unlisted.map(({ minuteUnixMs: minute, ...of }) => ({ minute, ...of }));
      const batch = { batchId, records: records.map(toRecord), unlisted: minutes };
      await requests.add(parseRequest(requestBatchSchema, batch));
      return {};
    },
    RecordRetiredCalls: async ({ batchId, calls }) => {
      await retired.addOnce(parseRequest(retiredBatchSchema, { batchId, calls: calls.map(toRetiredCalls) }));
      return {};
    },
    RecordExposedSecret: async ({ atUnixMs: at, ...request }) => {
      await recordExposedSecret(parseRequest(exposedRequestSchema, { at, ...request }));
      return {};
    },
  };
}

function toCount(count: UsageCountMessage) {
  return {
    businessId: count.businessId,
    credentialType: toCredentialType(count.credentialType),
    credentialId: count.credentialId,
    limitId: count.limitId,
    minute: count.minuteUnixMs,
    count2xx: count.count_2xx,
    count4xx: count.count_4xx,
    count429: count.count_429,
    count5xx: count.count_5xx,
    lastUsedAt: count.lastUsedAtUnixMs,
    lastUsedIp: count.lastUsedIp,
    scopesUsed: count.scopesUsed,
    addresses: count.addresses.map(({ lastSuccessAtUnixMs, ...use }) => ({
      ...use,
      lastSuccessAt: lastSuccessAtUnixMs,
    })),
    endpoints: count.endpoints,
    limitUsed: count.limitUsed,
    limitObservedAt: count.limitObservedAtUnixMs,
  };
}

function toRetiredCalls({ lastAtUnixMs: lastAt, ...calls }: RetiredCallsMessage) {
  return { ...calls, lastAt };
}

function toRecord({ requestId, atUnixMs, credentialType, ...record }: RequestRecordMessage) {
  return { id: requestId, at: atUnixMs, credentialType: toCredentialType(credentialType), ...record };
}

/** Credential type of the protos in its internal form; empty when unspecified. */
function toCredentialType(type: CredentialType): string {
  if (type === 'CREDENTIAL_TYPE_UNSPECIFIED') return '';
  return type.replace('CREDENTIAL_TYPE_', '').toLowerCase();
}
