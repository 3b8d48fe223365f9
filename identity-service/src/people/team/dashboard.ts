import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import { rules, type Throttle } from '../../platform/throttle.ts';
import { checkAttempts, withFields } from '../../web/dashboard-api/input.ts';
import { businessOperation, type Operation, personOperation } from '../../web/dashboard-api/operation.ts';
import { parseEmail } from '../profile/dashboard.ts';
import * as specs from './dashboard-schema.ts';
import {
  type AcceptInvitationDeps,
  acceptInvitation,
  type InviteMemberDeps,
  inviteMember,
  type PreviewInvitationDeps,
  previewInvitation,
} from './invitations.ts';
import { lossOf } from './leftover.ts';
import { madeEndpoints } from './leftover-endpoints.ts';
import { leftoversOf } from './leftover-store.ts';
import { type ChangeMemberDeps, changeRole, removeMember, withdrawInvitation } from './members.ts';
import { memberNotFound } from './team.ts';

interface TeamOperationsDeps extends InviteMemberDeps, ChangeMemberDeps {
  readonly throttle: Throttle;
}

/** Form fields by reason of an error. */
const fieldOf = { already_member: 'email' };

/** Operations on members and invitations of a business. */
export function teamOperations(deps: TeamOperationsDeps): Operation[] {
  const { team, throttle } = deps;
  return [
    businessOperation(specs.getTeam, async ({ businessId, personId, role }) => {
      const [members, invitations] = await Promise.all([
        team.members(businessId),
        team.invitations(businessId),
      ]);
      return {
        members: members.map((member) => {
          const isYou = member.personId === personId;
          const hasSecondFactor = role === 'owner' || isYou ? member.hasSecondFactor : null;
          return { ...member, hasSecondFactor, isYou };
        }),
        invitations,
      };
    }),
    businessOperation(specs.inviteMember, async ({ businessId, personId, body, actor }) => {
      const email = parseEmail(body.email);
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
    ...memberOperations(deps),
  ];
}

function memberOperations(deps: TeamOperationsDeps): Operation[] {
  const { team, leftovers } = deps;
  return [
    businessOperation(specs.listLeftovers, async ({ businessId, param, query: { role: to } }) => {
      const memberId = param('personId');
      const members = await team.members(businessId);
      const from = members.find((member) => member.personId === memberId)?.role;
      const loss = lossOf(from ?? 'owner', to);
      const [held, endpoints] = await Promise.all([
        leftovers.held(businessId, memberId, loss),
        loss === 'all' ? madeEndpoints(deps, businessId, memberId) : [],
      ]);
      const found = [...leftoversOf(held), ...(endpoints ?? [])];
      // Who has left may have left something behind.
      if (from === undefined && found.length === 0) throw memberNotFound();
      return {
        leftovers: found.map(({ application = null, ...leftover }) => ({ ...leftover, application })),
        endpointsKnown: endpoints !== undefined,
      };
    }),
    businessOperation(specs.changeMember, ({ businessId, personId, param, body, actor }) => {
      const { role, keep: kept } = body;
      return changeRole(deps, { actor, businessId, personId, memberId: param('personId'), kept, role });
    }),
    businessOperation(specs.removeMember, ({ businessId, personId, param, body, actor }) =>
      removeMember(deps, { actor, businessId, personId, memberId: param('personId'), kept: body.keep }),
    ),
  ];
}

interface InvitationOperationsDeps extends AcceptInvitationDeps, PreviewInvitationDeps {
  readonly team: AcceptInvitationDeps['team'];
  readonly throttle: Throttle;
}

/** Operations on an invitation, for the person who received its link. */
export function invitationOperations(deps: InvitationOperationsDeps): Operation[] {
  const limited = (clientIp: string) =>
    checkAttempts(deps.throttle, [[rules.linkAddress, addressBlock(clientIp)]]);
  return [
    personOperation(specs.previewInvitation, async ({ personId, body, requestId, clientIp }) => {
      await limited(clientIp);
      return previewInvitation(deps, { token: body.token, personId, requestId });
    }),
    personOperation(specs.acceptInvitation, async ({ personId, body, actor, clientIp }) => {
      await limited(clientIp);
      const businessId = await acceptInvitation(deps, { actor, token: body.token, personId });
      return { businessId: String(businessId) };
    }),
  ];
}
