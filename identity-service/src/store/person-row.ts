import { Prisma } from '../generated/client.ts';
import type { PersonWithSecrets, SecondFactorState } from '../people/person.ts';

/** What is read of `people`. */
export const personColumns = Prisma.sql`
  p.id, p.email, p.name, p.password_hash, p.password_set_at, p.totp_secret, p.totp_confirmed_at,
  (SELECT count(*)::int FROM recovery_codes r WHERE r.person_id = p.id AND r.used_at IS NULL) AS recovery_codes`;

/** A row of `personColumns`. */
export interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly password_hash: string;
  readonly password_set_at: Date;
  readonly totp_secret: Uint8Array | null;
  readonly totp_confirmed_at: Date | null;
  readonly recovery_codes: number;
}

export function toPerson(row: PersonRow): PersonWithSecrets {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    passwordHash: row.password_hash,
    passwordSetAt: row.password_set_at.getTime(),
    secondFactor: secondFactorOf(row),
    totpSecret: row.totp_secret ?? undefined,
    recoveryCodes: row.recovery_codes,
  };
}

function secondFactorOf({ totp_secret, totp_confirmed_at }: PersonRow): SecondFactorState {
  if (totp_secret === null) return 'off';
  return totp_confirmed_at === null ? 'offered' : 'on';
}
