import { Prisma } from '../../generated/client.ts';
import { expiringSoonDays, type KeyFilter } from './key-filter.ts';

/** Whether a key expires soon, by the database's clock. Uses hours, because a day of a time zone may have 23. */
export const expiresSoon = Prisma.sql`
  (expires_at IS NOT NULL AND expires_at > clock_timestamp()
    AND expires_at < clock_timestamp() + make_interval(hours => ${24 * expiringSoonDays}::int))`;

const active = Prisma.sql`(expires_at IS NULL OR expires_at > clock_timestamp())`;

const ofStatus = {
  active,
  frozen: Prisma.sql`(frozen_at IS NOT NULL AND ${active})`,
  soon: expiresSoon,
  expired: Prisma.sql`expires_at <= clock_timestamp()`,
} as const;

const sortedBy = {
  newest: Prisma.sql`created_at DESC, id`,
  name: Prisma.sql`lower(name), created_at DESC, id`,
  last_used: Prisma.sql`last_used_at DESC NULLS LAST, created_at DESC, id`,
  expiry: Prisma.sql`expires_at NULLS LAST, created_at DESC, id`,
} as const;

/** The keys of a business that a filter matches, in its order: what follows WHERE. */
export function matchingKeys(
  businessId: number,
  { text, keyType, status, sort = 'newest' }: KeyFilter,
): Prisma.Sql {
  const has = (column: Prisma.Sql) => Prisma.sql`strpos(lower(${column}), lower(${text})) > 0`;
  const texts = [Prisma.sql`name`, Prisma.sql`description`, Prisma.sql`last_four`].map(has);
  const conditions = [
    Prisma.sql`business_id = ${BigInt(businessId)}`,
    Prisma.sql`(${Prisma.join(texts, ' OR ')})`,
    ...(keyType === undefined ? [] : [Prisma.sql`key_type::text = ${keyType}`]),
    ...(status === undefined ? [] : [ofStatus[status]]),
  ];
  return Prisma.sql`${Prisma.join(conditions, ' AND ')} ORDER BY ${sortedBy[sort]}`;
}
