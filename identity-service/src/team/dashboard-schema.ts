import { z } from 'zod';
import { instant, instantOrNull, roleSchema as role } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';

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

export const changeMember = declare({
  id: 'changeMember',
  method: 'PATCH',
  path: '/businesses/{businessId}/team/members/{personId}',
  summary: 'Changes the role of a member at once. The last owner stays one.',
  role: 'owner',
  query: none,
  body: z.strictObject({ role }),
  status: 204,
  response: noBody,
});

export const removeMember = declare({
  id: 'removeMember',
  method: 'DELETE',
  path: '/businesses/{businessId}/team/members/{personId}',
  summary:
    'Ends a membership at once. Owners can remove any member, all others only themselves. The last owner cannot leave.',
  role: 'viewer',
  query: none,
  body: noBody,
  status: 204,
  response: noBody,
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
  changeMember,
  removeMember,
  previewInvitation,
  acceptInvitation,
];
