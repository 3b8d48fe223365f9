import type { Endpoint } from '../web/endpoint.ts';
import { conditionalResponse } from '../web/preconditions.ts';
import { errorResponse } from '../web/response.ts';
import { businessResource } from './resource.ts';
import type { BusinessStore } from './store.ts';

/** GET /businesses/me (contract 4.5). */
export function getCurrentBusiness(businesses: BusinessStore): Endpoint {
  return async ({ businessId }, req) => {
    const profile = await businesses.profile(businessId);
    if (profile === undefined) return errorResponse(404, 'Business not found');
    return conditionalResponse(req, businessResource(profile));
  };
}
