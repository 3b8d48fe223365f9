import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import { hashSessionId } from '../web/sessions/session.ts';

/** Minutes for which an offered secret can be confirmed. */
const offerMinutes = 10;

/**
 * The secret that a session offers, for the person of the session. It is kept with the session: it ends with it, and so with a
 * new password.
 */
export interface TotpOffer {
  readonly personId: string;
  readonly sessionId: string;
  readonly sealedSecret: Buffer<ArrayBuffer>;
}

/** Puts a secret in the place of the one that the session offered before. False when the session has ended. */
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
 * Turns an offered secret on with the step of its first code, and ends the person's sessions. False when the session has ended or
 * offers another one, or one is on.
 */
export async function confirmOffer(
  client: Prisma.TransactionClient,
  { personId, sessionId, sealedSecret }: TotpOffer,
  step: number,
): Promise<boolean> {
  // The person first, as a change of password locks: a session that it ends is then gone when it is looked for.
  await client.$executeRaw`SELECT 1 FROM people WHERE id = ${personId} FOR UPDATE`;
  const changed = await client.$executeRaw`
    UPDATE people SET totp_secret = ${sealedSecret}, totp_confirmed_at = clock_timestamp(), totp_last_step = ${BigInt(step)}
    WHERE id = ${personId} AND totp_confirmed_at IS NULL AND EXISTS (
      SELECT 1 FROM sessions WHERE id_hash = ${hashSessionId(sessionId)} AND person_id = ${personId}
        AND data #>> '{totpOffer,secret}' = ${sealedSecret.toString('base64')})`;
  if (changed > 0) await client.session.deleteMany({ where: { personId } });
  return changed > 0;
}
