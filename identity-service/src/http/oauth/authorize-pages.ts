import type { Router } from 'express';
import { requirePerson } from '../require-person.ts';
import { exactRouter } from '../router.ts';
import type { AuthorizeDeps } from './authorize-deps.ts';
import { authorizeEndpoint } from './authorize-endpoint.ts';
import { consentEndpoint } from './consent-endpoint.ts';

/** The pages of the authorization endpoint. */
export function authorizePages(deps: AuthorizeDeps): Router {
  return exactRouter()
    .get('/oauth/authorize', authorizeEndpoint(deps))
    .post('/oauth/consent', requirePerson, consentEndpoint(deps));
}
