import type { Prisma } from '../generated/client.ts';
import type { PrismaClient } from './prisma.ts';

/**
 * Deletes what is over of the authorization server, at most `limit` rows per statement. Expired tokens stay for a day, so
 * that they are called expired and not unknown; used refresh tokens stay until they expire, so that reuse is seen.
 */
export function oauthPurges(
  prisma: PrismaClient,
  limit: number,
): Readonly<Record<string, () => Prisma.PrismaPromise<number>>> {
  return {
    authorization_codes: () => prisma.$executeRaw`
      DELETE FROM authorization_codes WHERE code_hash IN (
        SELECT code_hash FROM authorization_codes WHERE expires_at < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    access_tokens: () => prisma.$executeRaw`
      DELETE FROM access_tokens WHERE token_hash IN (
        SELECT token_hash FROM access_tokens WHERE expires_at < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    refresh_tokens: () => prisma.$executeRaw`
      DELETE FROM refresh_tokens WHERE token_hash IN (
        SELECT token_hash FROM refresh_tokens WHERE expires_at < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    ended_access_tokens: () => prisma.$executeRaw`
      DELETE FROM access_tokens WHERE token_hash IN (
        SELECT t.token_hash FROM grants g JOIN access_tokens t ON t.grant_id = g.id
        WHERE g.ended_at < now() - interval '1 hour' LIMIT ${limit} FOR UPDATE OF t SKIP LOCKED)`,
    ended_refresh_tokens: () => prisma.$executeRaw`
      DELETE FROM refresh_tokens WHERE token_hash IN (
        SELECT t.token_hash FROM grants g JOIN refresh_tokens t ON t.grant_id = g.id
        WHERE g.ended_at < now() - interval '1 hour' LIMIT ${limit} FOR UPDATE OF t SKIP LOCKED)`,
    grants: () => prisma.$executeRaw`
      DELETE FROM grants WHERE id IN (
        SELECT id FROM grants WHERE ended_at < now() - interval '90 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    kept_answers: () => prisma.$executeRaw`
      UPDATE refresh_tokens SET sealed_answer = NULL, idempotency_hash = NULL WHERE token_hash IN (
        SELECT token_hash FROM refresh_tokens
        WHERE sealed_answer IS NOT NULL AND used_at < now() - interval '60 seconds'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    answered_consents: () => prisma.$executeRaw`
      DELETE FROM answered_consents WHERE id IN (
        SELECT id FROM answered_consents WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  };
}
