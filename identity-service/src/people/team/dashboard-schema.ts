import { z } from 'zod';
import { instant, instantOrNull, propagation, roleSchema as role } from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { leftoverKinds } from './leftover.ts';

const member = z
  .object({
    personId: z.string(),
    name: z.string(),
    email: z.string(),
    role,
    joinedAt: instant,
    hasSecondFactor: z.boolean().nullable().describe('Of others for owners only; null otherwise.'),
    lastSeenAt: instantOrNull.describe('null when no recent activity is known.'),
    isYou: z.boolean(),
  })
  .meta({ id: 'TeamMember' });

const invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    role,
    inviterName: z.string().describe('Empty when the account was deleted.'),
    createdAt: instant,
    expiresAt: instant,
  })
  .meta({ id: 'Invitation' });

const token = z.string().max(200).describe('From the emailed link.');

export const getTeam = declare({
  id: 'getTeam',
  method: 'GET',
  path: '/businesses/{businessId}/team',
  summary: 'Members of the business, and open invitations.',
  query: none,
  body: noBody,
  response: z.object({
    members: z.array(member).describe('Longest membership first.'),
    invitations: z.array(invitation).describe('Open invitations, newest first.'),
  }),
});

export const inviteMember = declare({
  id: 'inviteMember',
  method: 'POST',
  path: '/businesses/{businessId}/team/invitations',
  summary: 'Emails a link to join the business. Replaces an earlier invitation of the address.',
  role: 'owner',
  query: none,
  body: z.strictObject({ email: z.string(), role }),
  status: 201,
  response: invitation,
});

export const withdrawInvitation = declare({
  id: 'withdrawInvitation',
  method: 'DELETE',
  path: '/businesses/{businessId}/team/invitations/{invitationId}',
  summary: 'Withdraws an invitation; its link stops working.',
  role: 'owner',
  query: none,
  body: noBody,
  status: 204,
  response: noBody,
});

const leftover = z
  .object({
    id: z.string().describe('Names it in `keep`.'),
    kind: z.enum(leftoverKinds),
    label: z.string(),
    application: z.object({ id: z.string(), name: z.string() }).nullable(),
    madeAt: instantOrNull,
    lastUsedAt: instantOrNull.describe('null where it is not known.'),
    others: z
      .int()
      .min(0)
      .describe('What the app has of this kind from other people; 0: none is left when all of these end.'),
  })
  .meta({ id: 'Leftover' });

const keep = z
  .array(z.string().max(1_200))
  .max(2_000)
  .default([])
  .describe('Leftovers that go on working; all others end.');

const memberChange = z.object({
  propagation,
  endpointsEnded: z
    .boolean()
    .describe('false: webhooks did not respond, so the webhook endpoints of the person are still there.'),
});

export const listLeftovers = declare({
  id: 'listLeftovers',
  method: 'GET',
  path: '/businesses/{businessId}/team/members/{personId}/leftovers',
  summary:
    'What a person made, or keys whose string the person has seen, that a removal or another role would leave working.',
  query: z.strictObject({ role: role.optional().describe('The other role; absent for a removal.') }),
  body: noBody,
  response: z.object({
    leftovers: z.array(leftover),
    endpointsKnown: z.boolean().describe('false: webhooks did not respond, so no endpoint is listed.'),
  }),
});

export const changeMember = declare({
  id: 'changeMember',
  method: 'PATCH',
  path: '/businesses/{businessId}/team/members/{personId}',
  summary:
    'Changes the role of a member at once, and ends what the new role may not have. The last owner stays one.',
  role: 'owner',
  query: none,
  body: z.strictObject({ role, keep }),
  response: memberChange,
});

export const removeMember = declare({
  id: 'removeMember',
  method: 'DELETE',
  path: '/businesses/{businessId}/team/members/{personId}',
  summary:
    'Ends a membership at once, with what the member made and keys that the member has seen; who leaves ends nothing. Owners can remove any member, all others only themselves. The last owner cannot leave.',
  role: 'viewer',
  query: none,
  body: z.strictObject({ keep }),
  response: memberChange,
});

export const previewInvitation = declare({
  id: 'previewInvitation',
  method: 'POST',
  path: '/invitations/preview',
  summary: 'The business and role of an invitation.',
  query: none,
  body: z.strictObject({ token }),
  response: z
    .object({
      businessName: z.string(),
      inviterName: z.string().describe('Empty when the account was deleted.'),
      role,
      expiresAt: instant,
      isForYou: z
        .boolean()
        .describe(
          'true when it was sent to the email address of the logged-in person, who alone can accept it.',
        ),
    })
    .meta({ id: 'InvitationPreview' }),
});

export const acceptInvitation = declare({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/invitations/accept',
  summary: 'Joins the business that invited the email address of the person.',
  query: none,
  body: z.strictObject({ token }),
  response: z.object({ businessId: z.string().describe('The identifier in URLs.') }),
});

export const teamSpecs = [
  getTeam,
  inviteMember,
  withdrawInvitation,
  listLeftovers,
  changeMember,
  removeMember,
  previewInvitation,
  acceptInvitation,
];
