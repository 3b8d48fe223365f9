import { explainRefusal } from './explain-refusal.ts';
import { explainService } from './explain-service.ts';
import type { Explanation, KnownRequest } from './explanation.ts';

/** Why a request was refused or failed, and what to do about it. */
export function explainRequest(request: KnownRequest): Explanation {
  const { refusal, status } = request.record;
  return refusal === undefined ? explainService(status) : explainRefusal(refusal, request);
}
