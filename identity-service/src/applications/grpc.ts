import { createHash } from 'node:crypto';
import type {
  ApplicationMessage,
  applicationService,
  ClientSecretMessage,
  originService,
} from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { z } from 'zod';
import { toPropagationMessage } from '../api-keys/grpc.ts';
import { actorOf, businessId, parseRequest } from '../platform/grpc-requests.ts';
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
import type { ApplicationStore } from './store.ts';

/** An application as identity.v1 sends it. */
function toApplicationMessage(application: Application): ApplicationMessage {
  return {
    id: application.id,
    clientId: application.clientId,
    businessId: application.businessId,
    name: application.name,
    description: application.description,
    redirectUris: [...application.redirectUris],
    scopes: [...application.scopes],
    ipWhitelist: [...application.ipWhitelist],
    webhooksEnabled: application.webhooksEnabled,
    webhookEvents: [...application.webhookEvents],
    allowedOrigins: [...application.allowedOrigins],
    connectedUserLimit: application.connectedUserLimit,
    connectedUsers: application.connectedUsers,
    secrets: application.secrets.map(toClientSecretMessage),
    createdAtUnixMs: application.createdAt,
    updatedAtUnixMs: application.updatedAt,
  };
}

function toClientSecretMessage({ id, lastFour, createdAt, lastUsedAt }: ClientSecret): ClientSecretMessage {
  return { id, lastFour, createdAtUnixMs: createdAt, lastUsedAtUnixMs: lastUsedAt ?? 0 };
}

const texts = z.array(z.string());

/** A list whose absence means: keep. */
const optionalTexts = z
  .object({ values: texts })
  .nullable()
  .transform((list) => list?.values);

/** What identifies one application. */
const reference = {
  businessId,
  applicationId: z.string().regex(/^apl_[0-9a-f]{24}$/, 'must be the identifier of an application'),
};

const getRequest = z.object(reference);

const listRequest = z.object({ businessId });

const createRequest = (requestId: string) =>
  z.object({
    actor: actorOf(requestId),
    businessId,
    name: z.string(),
    description: z.string(),
    redirectUris: texts,
    scopes: texts,
    ipWhitelist: texts,
    webhooksEnabled: z.boolean(),
    webhookEvents: texts,
    allowedOrigins: texts,
  });

const updateRequest = (requestId: string) =>
  z.object({
    ...changeFields(requestId),
    name: z.string().optional(),
    description: z.string().optional(),
    redirectUris: optionalTexts,
    scopes: optionalTexts,
    ipWhitelist: optionalTexts,
    webhooksEnabled: z.boolean().optional(),
    webhookEvents: optionalTexts,
    allowedOrigins: optionalTexts,
  });

/** Deletion. */
const changeRequest = (requestId: string) => z.object(changeFields(requestId));

const rotateRequest = (requestId: string) => z.object({ ...changeFields(requestId), keepOld: z.boolean() });

const deleteSecretRequest = (requestId: string) =>
  z.object({
    ...changeFields(requestId),
    clientSecretId: z.string().regex(/^sec_[0-9a-f]{24}$/, 'must be the identifier of a client secret'),
  });

const limitRequest = (requestId: string) => z.object({ ...changeFields(requestId), limit: z.number() });

function changeFields(requestId: string) {
  return { actor: actorOf(requestId), ...reference };
}

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
