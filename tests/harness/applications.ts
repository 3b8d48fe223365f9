import { maskOf } from '@platform/protos/field-mask';
import {
  type ApplicationMessage,
  type ApplicationSettingsMessage,
  applicationService,
  grantService,
} from '@platform/protos/identity';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { callPatience } from './patience.ts';

/** Settings that a test needs; the rest has defaults. */
export interface NewApplication {
  /** Owner; must be verified. */
  readonly businessId: number;
  readonly name?: string;
  readonly description?: string;
  readonly redirectUris?: readonly string[];
  readonly scopes?: readonly string[];
  readonly ipWhitelist?: readonly string[];
  /** None where absent. */
  readonly allowedOrigins?: readonly string[];
  /** Off where absent. */
  readonly repeatLostRefresh?: boolean;
}

/** An application as the test holds it. */
export interface TestApplication {
  readonly id: string;
  readonly businessId: number;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The first one. */
  readonly redirectUri: string;
}

/** Calls of identity-service for applications in the setup of tests. */
export interface Applications {
  readonly applicationRpc: GrpcClient<typeof applicationService>['rpc'];
  readonly grantRpc: GrpcClient<typeof grantService>['rpc'];
  createApplication(application: NewApplication): Promise<TestApplication>;
  getApplication(application: TestApplication): Promise<ApplicationMessage>;
  disconnect(): void;
}

export const operator = { kind: 'operator', id: 'test', clientIp: '' };
export const call = { deadlineMs: 30_000 };

/** Fields of a call for the application and the person. */
export const which = ({ id, businessId }: Pick<TestApplication, 'id' | 'businessId'>) => ({
  actor: operator,
  businessId,
  applicationId: id,
});

/** The part of an UpdateApplication request that changes these settings. */
export const changeOf = (settings: ApplicationSettingsMessage) => ({
  settings,
  updateMask: maskOf(settings),
});

/** @param target gRPC target of identity-service */
export function connectApplications(target: string): Applications {
  const tls = { kind: 'plain' } as const;
  const applications = createGrpcClient(applicationService, { target, tls, ...callPatience });
  const grants = createGrpcClient(grantService, { target, tls, ...callPatience });
  return {
    applicationRpc: applications.rpc,
    grantRpc: grants.rpc,
    createApplication: async (given) => {
      const { application, clientSecret } = await applications.rpc.CreateApplication(
        { actor: operator, businessId: given.businessId, settings: settings(given) },
        call,
      );
      if (application === null) throw new Error('identity-service responded without an application.');
      const { id, businessId, clientId } = application;
      return {
        id,
        businessId,
        clientId,
        clientSecret,
        redirectUri: application.settings?.redirectUris[0] ?? '',
      };
    },
    getApplication: async ({ businessId, id }) => {
      const request = { businessId, applicationId: id };
      const { application } = await applications.rpc.GetApplication(request, call);
      if (application === null) throw new Error('identity-service responded without an application.');
      return application;
    },
    disconnect: () => {
      applications.close();
      grants.close();
    },
  };
}

function settings(given: NewApplication) {
  return {
    name: given.name ?? 'Shop',
    description: given.description ?? 'Sends orders out',
    redirectUris: [...(given.redirectUris ?? ['https://app.example/callback'])],
    scopes: [...(given.scopes ?? ['business:read', 'orders:read'])],
    // Where tests call from.
    ipWhitelist: [...(given.ipWhitelist ?? ['127.0.0.1'])],
    webhooksEnabled: false,
    webhookEvents: [],
    allowedOrigins: [...(given.allowedOrigins ?? [])],
    repeatLostRefresh: given.repeatLostRefresh ?? false,
  };
}
