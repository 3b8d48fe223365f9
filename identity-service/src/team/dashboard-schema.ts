import { z } from 'zod';
import { instant, instantOrNull } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';

export const role = z.enum(['owner', 'member']).meta({ id: 'Role' });

export const member = z
  .object({
    personId: z.string(),
    name: z.string(),
    email: z.string(),
    role,
    joinedAt: instant,
    hasSecondFactor: z.boolean(),
    lastSeenAt: instantOrNull.describe('null when nothing is known of lately.'),
    isYou: z.boolean(),
  })
  .meta({ id: 'TeamMember' });

export const invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    role,
    inviterName: z.string().describe('Empty when the account is gone.'),
    createdAt: instant,
    expiresAt: instant,
  })
  .meta({ id: 'Invitation' });

export const token = z.string().max(200).describe('From the mailed link.');

export const getTeam = declare({
  id: 'getTeam',
  method: 'GET',
  path: '/businesses/{businessId}/team',
  summary: 'Who belongs to the business, and who was asked to.',
  query: none,
  body: noBody,
  answer: z.object({
    members: z.array(member).describe('Longest membership first.'),
    invitations: z.array(invitation).describe('Open ones, newest first.'),
  }),
});

export const inviteMember = declare({
  id: 'inviteMember',
  method: 'POST',
  path: '/businesses/{businessId}/team/invitations',
  summary: 'Mails somebody a link to join. An invitation that the address had before ends.',
  role: 'owner',
  query: none,
  body: z.strictObject({ email: z.string(), role }),
  status: 201,
  answer: invitation,
});

export const withdrawInvitation = declare({
  id: 'withdrawInvitation',
  method: 'DELETE',
  path: '/businesses/{businessId}/team/invitations/{invitationId}',
  summary: 'Takes an invitation back: its link leads nowhere any more.',
  role: 'owner',
  query: none,
  body: noBody,
  status: 204,
  answer: noBody,
});

export const changeMember = declare({
  id: 'changeMember',
  method: 'PATCH',
  path: '/businesses/{businessId}/team/members/{personId}',
  summary: 'Gives a member another role, at once. The last owner stays one.',
  role: 'owner',
  query: none,
  body: z.strictObject({ role }),
  status: 204,
  answer: noBody,
});

export const removeMember = declare({
  id: 'removeMember',
  method: 'DELETE',
  path: '/businesses/{businessId}/team/members/{personId}',
  summary: 'Ends a membership, at once: owners anybody’s, members their own. The last owner stays.',
  query: none,
  body: noBody,
  status: 204,
  answer: noBody,
});

export const previewInvitation = declare({
  id: 'previewInvitation',
  method: 'POST',
  path: '/invitations/preview',
  summary: 'What an invitation would lead to.',
  query: none,
  body: z.strictObject({ token }),
  answer: z
    .object({
      businessName: z.string(),
      inviterName: z.string().describe('Empty when the account is gone.'),
      role,
      expiresAt: instant,
      isForYou: z
        .boolean()
        .describe('Whether it was sent to the address of whoever is logged in; nobody else can accept it.'),
    })
    .meta({ id: 'InvitationPreview' }),
});

export const acceptInvitation = declare({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/invitations/accept',
  summary: 'Joins the business that has invited the mail address of the person.',
  query: none,
  body: z.strictObject({ token }),
  answer: z.object({ businessId: z.string().describe('The identifier in addresses.') }),
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
