import type { Prisma } from '../generated/client.ts';
import type { PrismaClient } from './prisma.ts';

/** Deletes what is over of people's sessions, links, invitations and attempts, at most `limit` rows per statement. */
export function peoplePurges(
  prisma: PrismaClient,
  limit: number,
): Readonly<Record<string, () => Prisma.PrismaPromise<number>>> {
  return {
    sessions: () => prisma.$executeRaw`
      DELETE FROM sessions WHERE id_hash IN (
        SELECT id_hash FROM sessions WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    password_resets: () => prisma.$executeRaw`
      DELETE FROM password_resets WHERE token_hash IN (
        SELECT token_hash FROM password_resets WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    sign_ups: () => prisma.$executeRaw`
      DELETE FROM sign_ups WHERE token_hash IN (
        SELECT token_hash FROM sign_ups WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    invitations: () => prisma.$executeRaw`
      DELETE FROM invitations WHERE id IN (
        SELECT id FROM invitations WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    // No window is longer than a day.
    throttle_counts: () => prisma.$executeRaw`
      DELETE FROM throttle_counts WHERE (key, window_start) IN (
        SELECT key, window_start FROM throttle_counts WHERE window_start < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  };
}
