import { emailFault, toEmail } from '../../../people/text-rules.ts';
import { changeRole } from '../../../team/change-role.ts';
import { type InviteMemberDeps, inviteMember } from '../../../team/invite-member.ts';
import { removeMember } from '../../../team/remove-member.ts';
import { withdrawInvitation } from '../../../team/withdraw-invitation.ts';
import { rules } from '../../../throttle/rules.ts';
import type { Throttle } from '../../../throttle/throttle.ts';
import { checkAttempts } from '../check-attempts.ts';
import { InvalidInput } from '../invalid-input.ts';
import { businessOperation, type Operation } from '../operation.ts';
import { withFields } from '../with-fields.ts';
import * as specs from './team-specs.ts';

export interface TeamOperationsDeps extends InviteMemberDeps {
  readonly throttle: Throttle;
}

/** Field of the form by the reason of a refusal. */
const fieldOf = { already_member: 'email' };

/** Who belongs to a business. */
export function teamOperations(deps: TeamOperationsDeps): Operation[] {
  const { team, throttle } = deps;
  return [
    businessOperation(specs.getTeam, async ({ businessId, personId }) => {
      const [members, invitations] = await Promise.all([
        team.members(businessId),
        team.invitations(businessId),
      ]);
      return {
        members: members.map((member) => ({ ...member, isYou: member.personId === personId })),
        invitations,
      };
    }),
    businessOperation(specs.inviteMember, async ({ businessId, personId, body, actor }) => {
      const email = emailOf(body.email);
      await checkAttempts(throttle, [
        [rules.inviteAccountBusiness, email, String(businessId)],
        [rules.inviteAccount, email],
        [rules.inviteBusiness, String(businessId)],
      ]);
      const input = { actor, businessId, personId, email, role: body.role };
      return withFields(fieldOf, () => inviteMember(deps, input));
    }),
    businessOperation(specs.withdrawInvitation, ({ businessId, personId, param, actor }) =>
      withdrawInvitation(deps, { actor, businessId, personId, invitationId: param('invitationId') }),
    ),
    businessOperation(specs.changeMember, ({ businessId, personId, param, body, actor }) =>
      changeRole(deps, { actor, businessId, personId, memberId: param('personId'), role: body.role }),
    ),
    businessOperation(specs.removeMember, ({ businessId, personId, param, actor }) =>
      removeMember(deps, { actor, businessId, personId, memberId: param('personId') }),
    ),
  ];
}

/** @throws InvalidInput */
function emailOf(typed: string): string {
  const email = toEmail(typed);
  const fault = emailFault(email);
  if (fault !== undefined) throw new InvalidInput({ email: fault }, 'invalid_email');
  return email;
}
