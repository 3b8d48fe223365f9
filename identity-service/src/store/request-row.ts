import type { CredentialType } from '../authorization/credential.ts';
import { Prisma } from '../generated/client.ts';
import type { RequestRecord } from '../requests/request-record.ts';

/** A row of `request_records`. */
export interface RequestRow {
  readonly id: string;
  readonly at: Date;
  readonly business_id: bigint | null;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly status: number;
  readonly refusal: string | null;
  readonly credential_type: CredentialType | null;
  readonly credential_id: string | null;
  readonly limit_id: string | null;
  readonly client_ip: string;
  readonly required_scope: string | null;
}

export const requestColumns = Prisma.sql`
  id, at, business_id, method, path, route, status, refusal, credential_type, credential_id, limit_id, client_ip,
  required_scope`;

export function toRequestRecord(row: RequestRow): RequestRecord {
  return {
    id: row.id,
    at: row.at.getTime(),
    businessId: row.business_id === null ? undefined : Number(row.business_id),
    method: row.method,
    path: row.path,
    route: row.route,
    status: row.status,
    refusal: row.refusal ?? undefined,
    credentialType: row.credential_type ?? undefined,
    credentialId: row.credential_id ?? undefined,
    limitId: row.limit_id ?? undefined,
    clientIp: row.client_ip,
    requiredScope: row.required_scope ?? undefined,
  };
}
