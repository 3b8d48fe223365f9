import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Role } from './role.ts';

/** Membership of a person in a business. */
export interface Membership {
  readonly businessId: number;
  readonly role: Role;
  /** Whether the business requires a second factor of its people. */
  readonly requiresSecondFactor: boolean;
  /** Whether the business requires a second factor and the person has none. Then the person may not act for it. */
  readonly lacksSecondFactor: boolean;
  /** The person who made it, where the business is a sandbox. */
  readonly sandboxOf: string | undefined;
}

export interface MembershipReader {
  /** The memberships of a person, oldest first. */
  memberships(personId: string): Promise<readonly Membership[]>;
}

/** Reason of the refusal to a person who lacks the second factor that a business requires. */
export const factorMissing = 'second_factor_required';

/** The refusal to a person who lacks the second factor that a business requires. */
export function factorMissingError(): AppError {
  return new AppError(
    'permission_denied',
    factorMissing,
    'this business requires a second factor, and you have none: turn on the authenticator app or add a passkey in your profile',
  );
}

/** Checks that a person has the second factor that the business requires. @throws AppError permission_denied */
export function checkRequiredFactor({ lacksSecondFactor }: Membership): void {
  if (lacksSecondFactor) throw factorMissingError();
}
