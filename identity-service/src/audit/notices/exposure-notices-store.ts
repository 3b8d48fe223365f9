import type { Prisma } from '../../generated/client.ts';
import { audience, newId } from './key-notices-store.ts';

/** A request that was refused because it came over http, with its credential. */
interface Exposure {
  /** End of the response, milliseconds since 1970. */
  readonly at: number;
  readonly businessId: number | undefined;
  /** Id of the API key or Grant; of the application whose secret it was. */
  readonly limitId: string | undefined;
  /** Of a client secret. */
  readonly secretLastFour: string | undefined;
  readonly clientIp: string;
}

/**
 * Records one notice per credential and hour. The hour is that of the request, so a batch that is sent again adds nothing.
 * Notices of an API key are for the owners and its creator, those of an access token for the owners of the business that
 * it acts for, and those of a client secret for the owners of the application.
 */
export async function insertExposureNotices(
  client: Prisma.TransactionClient,
  exposures: readonly Exposure[],
): Promise<void> {
  if (exposures.length === 0) return;
  const sent = exposures.map(({ at, businessId, limitId, secretLastFour, clientIp }) => ({
    at,
    businessId,
    limitId,
    secretLastFour,
    clientIp,
  }));
  await client.$executeRaw`
    WITH sent AS (
      SELECT "businessId" AS business_id, "limitId" AS limit_id, "secretLastFour" AS last_four, "clientIp" AS client_ip,
             date_trunc('hour', least(to_timestamp(at / 1000), clock_timestamp()), 'UTC') AS hour
      FROM jsonb_to_recordset(${JSON.stringify(sent)}::jsonb)
        AS r (at float8, "businessId" bigint, "limitId" text, "secretLastFour" text, "clientIp" text)
    ), exposed AS (
      SELECT m.person_id, 'api_key.exposed' AS action, k.id AS subject_id, k.id AS credential, s.*,
             jsonb_build_object('name', k.name, 'lastFour', k.last_four) AS details
      FROM sent s JOIN api_keys k ON k.id = s.limit_id AND k.business_id = s.business_id ${audience}
      UNION ALL
      SELECT m.person_id, 'access_token.exposed', a.id, g.id, s.*, jsonb_build_object('name', a.name)
      FROM sent s JOIN grants g ON g.id = s.limit_id AND g.business_id = s.business_id
      JOIN applications a ON a.id = g.application_id
      JOIN memberships m ON m.business_id = g.business_id AND m.role = 'owner'
      UNION ALL
      SELECT m.person_id, 'client_secret.exposed', a.id, concat_ws(':', a.id, s.last_four), s.*,
             jsonb_build_object('name', a.name, 'lastFour', s.last_four)
      FROM sent s JOIN applications a ON a.id = s.limit_id AND a.business_id = s.business_id
      JOIN memberships m ON m.business_id = a.business_id AND m.role = 'owner'
    )
    INSERT INTO notices
      (id, person_id, key, topic, action, business_id, subject_id, actor_kind, actor_id, client_ip, details)
    SELECT ${newId}, person_id, concat_ws(':', action, credential, extract(epoch FROM hour)), 'security', action,
           business_id, subject_id, 'system', 'identity-service', client_ip, details
    FROM exposed ORDER BY person_id, credential
    ON CONFLICT (person_id, key) DO NOTHING`;
}
