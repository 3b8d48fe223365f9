import { createHash } from 'node:crypto';
import type {
  ApplicationMessage,
  applicationService,
  ClientSecretMessage,
  originService,
} from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/validation.ts';
import { z } from 'zod';
import { toPropagationMessage } from '../api-keys/grpc.ts';
import { actorOf, businessId, settingsMask } from '../platform/grpc-requests.ts';
import { checkOperatorReason } from '../platform/reason.ts';
import type { Application, ClientSecret } from './application.ts';
import {
  type ChangedApplication,
  type CreateApplicationDeps,
  createApplication,
  deleteApplication,
  deleteClientSecret,
  getApplication,
  type RotateClientSecretDeps,
  rotateClientSecret,
  setConnectedUserLimit,
  updateApplication,
} from './operations.ts';
import { settingNames, settingsInput } from './settings.ts';
import type { ApplicationStore } from './store.ts';
import { resumeApplication, type SetBanDeps, setPublisherBan, suspendApplication } from './suspend.ts';

const allSettings = z.object(settingsInput);

const someSettings = allSettings.partial();

/** An application as identity.v1 sends it. */
function toApplicationMessage(application: Application): ApplicationMessage {
  return {
    id: application.id,
    clientId: application.clientId,
    businessId: application.businessId,
    settings: allSettings.parse(application),
    connectedUserLimit: application.connectedUserLimit,
    connectedUsers: application.connectedUsers,
    secrets: application.secrets.map(toClientSecretMessage),
    createdAtUnixMs: application.createdAt,
    updatedAtUnixMs: application.updatedAt,
    suspensions: application.suspensions.map(({ suspendedAt, ...suspension }) => ({
      ...suspension,
      suspendedAtUnixMs: suspendedAt,
    })),
  };
}

function toClientSecretMessage({ id, lastFour, createdAt, lastUsedAt }: ClientSecret): ClientSecretMessage {
  return { id, lastFour, createdAtUnixMs: createdAt, lastUsedAtUnixMs: lastUsedAt ?? 0 };
}

/** Identifies one application. */
const reference = {
  businessId,
  applicationId: z.string().regex(/^apl_[0-9a-f]{24}$/, 'must be the identifier of an application'),
};

const getRequest = z.object(reference);

const listRequest = z.object({ businessId });

const createRequest = (requestId: string) =>
  z.object({ actor: actorOf(requestId), businessId, settings: allSettings });

/** Takes from the settings what the mask names. @throws AppError for an unknown name */
const updateRequest = (requestId: string) =>
  z
    .object({
      ...changeFields(requestId),
      settings: allSettings.nullable(),
      updateMask: settingsMask(settingNames),
    })
    .transform(({ settings, updateMask, ...change }) => ({
      ...change,
      update: someSettings.parse(Object.fromEntries(updateMask.map((field) => [field, settings?.[field]]))),
    }));

/** Deletion and resumption. */
const changeRequest = (requestId: string) => z.object(changeFields(requestId));

const rotateRequest = (requestId: string) => z.object({ ...changeFields(requestId), keepOld: z.boolean() });

const deleteSecretRequest = (requestId: string) =>
  z.object({
    ...changeFields(requestId),
    clientSecretId: z.string().regex(/^sec_[0-9a-f]{24}$/, 'must be the identifier of a client secret'),
  });

const limitRequest = (requestId: string) => z.object({ ...changeFields(requestId), limit: z.number() });

const suspendRequest = (requestId: string) => z.object({ ...changeFields(requestId), reason: z.string() });

const setBanRequest = (requestId: string) =>
  z.object({ actor: actorOf(requestId), businessId, isBanned: z.boolean(), reason: z.string() });

function changeFields(requestId: string) {
  return { actor: actorOf(requestId), ...reference };
}

/** identity.v1.ApplicationService over the operations of applications/. */
export function applicationHandlers(
  deps: CreateApplicationDeps & RotateClientSecretDeps & SetBanDeps,
): UnaryHandlers<typeof applicationService> {
  return {
    CreateApplication: async (request, { requestId }) => {
      const { application, clientSecret } = await createApplication(
        deps,
        parseRequest(createRequest(requestId), request),
      );
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
      return toResponse(await updateApplication(deps, parseRequest(updateRequest(requestId), request)));
    },
    RotateClientSecret: async (request, { requestId }) => {
      const rotated = await rotateClientSecret(deps, parseRequest(rotateRequest(requestId), request));
      return { ...toResponse(rotated), clientSecret: rotated.clientSecret };
    },
    DeleteClientSecret: async (request, { requestId }) =>
      toResponse(await deleteClientSecret(deps, parseRequest(deleteSecretRequest(requestId), request))),
    DeleteApplication: async (request, { requestId }) => {
      const propagation = await deleteApplication(deps, parseRequest(changeRequest(requestId), request));
      return { propagation: toPropagationMessage(propagation) };
    },
    SetConnectedUserLimit: async (request, { requestId }) => {
      const application = await setConnectedUserLimit(deps, parseRequest(limitRequest(requestId), request));
      return { application: toApplicationMessage(application) };
    },
    SuspendApplication: async (request, { requestId }) => {
      const input = { ...parseRequest(suspendRequest(requestId), request), cause: 'operator' as const };
      return toResponse(await suspendApplication(deps, input));
    },
    ResumeApplication: async (request, { requestId }) => {
      const input = { ...parseRequest(changeRequest(requestId), request), cause: 'operator' as const };
      return toResponse(await resumeApplication(deps, input));
    },
    SetPublisherBan: async (request, { requestId }) => {
      const { reason, ...change } = parseRequest(setBanRequest(requestId), request);
      const propagation = await setPublisherBan(deps, { ...change, reason: checkOperatorReason(reason) });
      return { propagation: toPropagationMessage(propagation) };
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

function toResponse({ application, propagation }: ChangedApplication) {
  return { application: toApplicationMessage(application), propagation: toPropagationMessage(propagation) };
}
