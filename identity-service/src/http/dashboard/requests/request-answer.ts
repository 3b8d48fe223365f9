import type { z } from 'zod';
import { checkWords } from '../../../requests/check-words.ts';
import { decisionOf } from '../../../requests/decision.ts';
import { explainRequest } from '../../../requests/explain-request.ts';
import type { KnownRequest } from '../../../requests/explanation.ts';
import { toCaller } from '../caller.ts';
import type { getRequest, listRequests } from './requests-specs.ts';

type Listed = z.input<typeof listRequests.answer>['requests'][number];
type Detail = z.input<typeof getRequest.answer>;

/** A request as the list shows it. */
export function toListedRequest(request: KnownRequest): Listed {
  const { record } = request;
  return {
    id: record.id,
    at: record.at,
    method: record.method,
    path: record.path,
    status: record.status,
    reason: record.refusal ?? null,
    title: explainRequest(request).title,
    credential: credentialOf(request),
    clientIp: record.clientIp,
  };
}

/** A request as its own page shows it. */
export function toRequestDetail(request: KnownRequest): Detail {
  const { record } = request;
  const { problem, advice, anchor, remedy } = explainRequest(request);
  return {
    ...toListedRequest(request),
    route: record.route === 'none' ? null : record.route,
    requiredScope: record.requiredScope ?? null,
    decision: decisionOf(record).map((each) => ({ ...each, words: checkWords(each.check, record) })),
    problem,
    advice,
    help: `/docs/errors#${anchor}`,
    remedy: remedy === undefined ? null : { page: remedy.page, id: remedy.id ?? null },
  };
}

function credentialOf({ record, caller }: KnownRequest): Listed['credential'] {
  const { credentialType: type, credentialId: id, limitId } = record;
  if (type === undefined || id === undefined) return null;
  return { type, id, limitId: limitId ?? null, caller: caller === undefined ? null : toCaller(caller) };
}
