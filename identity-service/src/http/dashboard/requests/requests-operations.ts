import { AppError } from '@platform/service-kit/app-error.ts';
import type { KnownRequest } from '../../../requests/explanation.ts';
import type { RequestRecord } from '../../../requests/request-record.ts';
import type { RequestStore } from '../../../requests/request-store.ts';
import type { FindCallers } from '../../../usage/caller.ts';
import { businessOperation, type Operation } from '../operation.ts';
import { readPage } from '../page-cursor.ts';
import { toListedRequest, toRequestDetail } from './request-answer.ts';
import { getRequest, listRequests } from './requests-specs.ts';

export interface RequestsOperationsDeps {
  readonly requests: Pick<RequestStore, 'list' | 'find'>;
  readonly findCallers: FindCallers;
}

export function requestsOperations({ requests, findCallers }: RequestsOperationsDeps): Operation[] {
  return [
    businessOperation(listRequests, async ({ businessId, query }) => {
      const { cursor, status, reason, credential, ...span } = query;
      const filter = { ...span, limitId: credential, statusClass: status, refusal: reason };
      const { entries, nextCursor } = await readPage(
        cursor,
        ({ at, id }: RequestRecord) => ({ at, id }),
        (page) => requests.list(businessId, { ...filter, ...page }),
      );
      const known = await withCallers(findCallers, businessId, entries);
      return { requests: known.map(toListedRequest), nextCursor };
    }),
    businessOperation(getRequest, async ({ businessId, param }) => {
      const record = await requests.find(businessId, param('requestId').toLowerCase());
      if (record === undefined) throw notOnRecord();
      const [known = { record, caller: undefined }] = await withCallers(findCallers, businessId, [record]);
      return toRequestDetail(known);
    }),
  ];
}

async function withCallers(
  findCallers: FindCallers,
  businessId: number,
  records: readonly RequestRecord[],
): Promise<KnownRequest[]> {
  const limitIds = new Set(records.flatMap(({ limitId }) => limitId ?? []));
  const callers = await findCallers(businessId, [...limitIds]);
  const byLimitId = new Map(callers.map((caller) => [caller.limitId, caller]));
  return records.map((record) => ({ record, caller: byLimitId.get(record.limitId ?? '') }));
}

function notOnRecord(): AppError {
  return new AppError(
    'not_found',
    'request_not_on_record',
    'no refused or failed request of this business with this id is on record',
  );
}
