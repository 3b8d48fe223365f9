import { createHash } from 'node:crypto';
import type { applicationService, originService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc-server.ts';
import type { ApplicationStore } from '../applications/application-store.ts';
import type { ChangedApplication } from '../applications/changed-application.ts';
import { type CreateApplicationDeps, createApplication } from '../applications/create-application.ts';
import { deleteApplication } from '../applications/delete-application.ts';
import { deleteClientSecret } from '../applications/delete-client-secret.ts';
import { getApplication } from '../applications/get-application.ts';
import { type RotateClientSecretDeps, rotateClientSecret } from '../applications/rotate-client-secret.ts';
import { setConnectedUserLimit } from '../applications/set-connected-user-limit.ts';
import { updateApplication } from '../applications/update-application.ts';
import { toPropagationMessage } from './api-key-message.ts';
import { toApplicationMessage } from './application-message.ts';
import {
  changeRequest,
  createRequest,
  deleteSecretRequest,
  getRequest,
  limitRequest,
  listRequest,
  rotateRequest,
  updateRequest,
} from './application-requests.ts';
import { parseRequest } from './parse-request.ts';

/** identity.v1.ApplicationService over the operations of applications/. */
export function applicationHandlers(
  deps: CreateApplicationDeps & RotateClientSecretDeps,
): UnaryHandlers<typeof applicationService> {
  return {
    CreateApplication: async (request, { requestId }) => {
      const { actor, businessId, ...settings } = parseRequest(createRequest(requestId), request);
      const { application, clientSecret } = await createApplication(deps, { actor, businessId, settings });
      return { application: toApplicationMessage(application), clientSecret };
    },
    GetApplication: async (request) => {
      const application = await getApplication(deps, parseRequest(getRequest, request));
      return { application: toApplicationMessage(application) };
    },
    ListApplications: async (request) => {
      const { businessId } = parseRequest(listRequest, request);
      const applications = await deps.applications.list(businessId);
      return { applications: applications.map(toApplicationMessage) };
    },
    UpdateApplication: async (request, { requestId }) => {
      const parsed = parseRequest(updateRequest(requestId), request);
      const { actor, businessId, applicationId, ...update } = parsed;
      return toAnswer(await updateApplication(deps, { actor, businessId, applicationId, update }));
    },
    RotateClientSecret: async (request, { requestId }) => {
      const rotated = await rotateClientSecret(deps, parseRequest(rotateRequest(requestId), request));
      return { ...toAnswer(rotated), clientSecret: rotated.clientSecret };
    },
    DeleteClientSecret: async (request, { requestId }) =>
      toAnswer(await deleteClientSecret(deps, parseRequest(deleteSecretRequest(requestId), request))),
    DeleteApplication: async (request, { requestId }) => {
      const propagation = await deleteApplication(deps, parseRequest(changeRequest(requestId), request));
      return { propagation: toPropagationMessage(propagation) };
    },
    SetConnectedUserLimit: async (request, { requestId }) => {
      const application = await setConnectedUserLimit(deps, parseRequest(limitRequest(requestId), request));
      return { application: toApplicationMessage(application) };
    },
  };
}

/** identity.v1.OriginService. */
export function originHandlers(
  applications: Pick<ApplicationStore, 'allowedOrigins'>,
): UnaryHandlers<typeof originService> {
  return {
    ListAllowedOrigins: async ({ knownVersion }) => {
      const origins = await applications.allowedOrigins();
      const version = createHash('sha256').update(origins.join(' ')).digest('base64url');
      return { version, origins: version === knownVersion ? [] : origins };
    },
  };
}

function toAnswer({ application, propagation }: ChangedApplication) {
  return { application: toApplicationMessage(application), propagation: toPropagationMessage(propagation) };
}
