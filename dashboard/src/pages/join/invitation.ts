import type { components } from '../../generated/dashboard-api.d.ts';

/** What an invitation would lead to. */
export type InvitationPreview = components['schemas']['InvitationPreview'];

/** Who invites, where the account is still there. */
export function inviterOf({ inviterName }: InvitationPreview): string {
  return inviterName === '' ? 'Somebody' : inviterName;
}
