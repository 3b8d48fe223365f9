import { businessResource } from '../businesses/business-resource.ts';
import type { BusinessStore } from '../businesses/business-store.ts';
import { errorAnswer } from './answer.ts';

import type { Endpoint } from './endpoint.ts';
import { answerConditionally } from './preconditions.ts';

/** GET /businesses/me (contract 4.5). */
export function getCurrentBusiness(businesses: BusinessStore): Endpoint {
  return async ({ businessId }, req) => {
    const profile = await businesses.profile(businessId);
    if (profile === undefined) return errorAnswer(404, 'Business not found');
    return answerConditionally(req, businessResource(profile));
  };
}
