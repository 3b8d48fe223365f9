import { randomUUID } from 'node:crypto';
import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { PrismaClient } from '../platform/storage.ts';
import { type OAuthEndpoint, type OAuthReason, oauthPaths } from './oauth-reason.ts';
import type { RequestBatch, RequestRecord, UnlistedRequests } from './request-log.ts';

/** A request to an OAuth endpoint. Holds no secret. */
export interface OAuthCall {
  readonly requestId: string;
  /** End of the response, milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds from its arrival to the response. */
  readonly ms: number;
  readonly endpoint: OAuthEndpoint;
  readonly method: string;
  readonly status: number;
  /** Undefined where it succeeded. `plain_http`: the gateway refused it, and identity-service has found its secret right. */
  readonly reason: OAuthReason | 'plain_http' | undefined;
  /** Error and error_description of the response; undefined where it succeeded. */
  readonly publicError: string | undefined;
  readonly clientIp: string;
  readonly userAgent: string;
  /** Client ID of the request; undefined for any other text. */
  readonly clientId: string | undefined;
  /** Whether the client has authenticated. A client ID alone is public. */
  readonly isAuthenticated: boolean;
  /** Of the client secret that was sent; undefined for text that is none. */
  readonly secretLastFour: string | undefined;
}

/** Calls that are not in the log, and when the last of them ended, by client ID. */
export type UnlistedCalls = ReadonlyMap<string, { readonly at: number; readonly requests: number }>;

const applicationRow = z.object({ clientId: z.string(), id: z.string(), businessId: integer });

type Application = z.output<typeof applicationRow>;

export type OAuthCallStore = ReturnType<typeof createOAuthCallStore>;

/** Finds the applications of OAuth requests: their owners see the requests. */
export function createOAuthCallStore(database: Database, prisma: PrismaClient) {
  return {
    /** The requests as a batch for the log. */
    batchOf: async (calls: readonly OAuthCall[], unlisted: UnlistedCalls): Promise<RequestBatch> => {
      const clientIds = [
        ...new Set([...calls.flatMap(({ clientId }) => clientId ?? []), ...unlisted.keys()]),
      ];
      const applications = await database.run(() => findApplications(prisma, clientIds));
      return {
        batchId: randomUUID(),
        records: calls.map((call) => toRecord(call, applications.get(call.clientId ?? ''))),
        unlisted: [...unlisted].flatMap(([clientId, { at, requests }]): UnlistedRequests[] => {
          const businessId = applications.get(clientId)?.businessId;
          return businessId === undefined ? [] : [{ businessId, minute: at, requests }];
        }),
      };
    },
  };
}

async function findApplications(
  prisma: PrismaClient,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, Application>> {
  if (clientIds.length === 0) return new Map();
  const rows = await readRows(
    applicationRow,
    prisma.$queryRaw`
      SELECT client_id AS "clientId", id, business_id AS "businessId" FROM applications
      WHERE client_id = ANY(${[...clientIds]})`,
  );
  return new Map(rows.map((row) => [row.clientId, row]));
}

function toRecord(call: OAuthCall, application: Application | undefined): RequestRecord {
  const { requestId, at, ms, endpoint, method, status, reason, clientIp, userAgent, clientId } = call;
  const path = oauthPaths[endpoint];
  return {
    id: requestId,
    at,
    businessId: application?.businessId,
    method,
    path,
    route: path,
    status,
    durationMs: ms,
    upstreamMs: undefined,
    responseBytes: 0,
    userAgent,
    refusal: application === undefined && clientId !== undefined ? 'client_unknown' : reason,
    error: call.publicError,
    credentialType: application === undefined ? undefined : 'client',
    credentialId: application?.clientId,
    limitId: application?.id,
    clientIp,
    requiredScope: undefined,
    invalidField: undefined,
    // Without an application, no owner may see the failure.
    secretLastFour: application === undefined ? undefined : call.secretLastFour,
  };
}
