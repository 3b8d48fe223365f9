import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import { hashSessionId } from '../web/sessions/session.ts';

/** Minutes for which an offered secret can be confirmed. */
const offerMinutes = 10;

/**
 * A secret that a session offers to its person. It is stored with the session, so it ends with the session, and therefore
 * also with a new password.
 */
export interface TotpOffer {
  readonly personId: string;
  readonly sessionId: string;
  readonly sealedSecret: Buffer<ArrayBuffer>;
}

/** Stores a secret for the session, which replaces an earlier one. False when the session has ended. */
export async function putOffer(
  client: Prisma.TransactionClient,
  { personId, sessionId, sealedSecret }: TotpOffer,
): Promise<boolean> {
  const put = await client.$executeRaw`
    UPDATE sessions SET data = data || jsonb_build_object('totpOffer', jsonb_build_object(
      'secret', ${sealedSecret.toString('base64')}::text,
      'until', clock_timestamp() + make_interval(mins => ${offerMinutes})))
    WHERE id_hash = ${hashSessionId(sessionId)} AND person_id = ${personId}`;
  return put > 0;
}

/** The sealed secret that a session offers. */
export async function findOffer(
  client: Prisma.TransactionClient,
  { personId, sessionId }: Omit<TotpOffer, 'sealedSecret'>,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const statement = client.$queryRaw`
    SELECT data #>> '{totpOffer,secret}' AS secret FROM sessions
    WHERE id_hash = ${hashSessionId(sessionId)} AND person_id = ${personId}
      AND clock_timestamp() < (data #>> '{totpOffer,until}')::timestamptz`;
  const [offer] = await readRows(z.object({ secret: z.string() }), statement);
  return offer && Buffer.from(offer.secret, 'base64');
}

/**
 * Turns on an offered secret, records the time step of its first code, and ends the person's sessions. False if the session
 * has ended or offers another secret, or an app is already on.
 */
export async function confirmOffer(
  client: Prisma.TransactionClient,
  { personId, sessionId, sealedSecret }: TotpOffer,
  step: number,
): Promise<boolean> {
  // Locks the person first, in the same order as a change of password, so that a session which that change ends is not found.
  await client.$executeRaw`SELECT 1 FROM people WHERE id = ${personId} FOR UPDATE`;
  const changed = await client.$executeRaw`
    UPDATE people SET totp_secret = ${sealedSecret}, totp_confirmed_at = clock_timestamp(), totp_last_step = ${BigInt(step)}
    WHERE id = ${personId} AND totp_confirmed_at IS NULL AND EXISTS (
      SELECT 1 FROM sessions WHERE id_hash = ${hashSessionId(sessionId)} AND person_id = ${personId}
        AND data #>> '{totpOffer,secret}' = ${sealedSecret.toString('base64')})`;
  if (changed > 0) await client.session.deleteMany({ where: { personId } });
  return changed > 0;
}
