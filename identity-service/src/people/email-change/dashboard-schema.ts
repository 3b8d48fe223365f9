import { z } from 'zod';
import { instant } from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { confirmation } from '../profile/dashboard-schema.ts';

export const getEmailChange = declare({
  id: 'getEmailChange',
  method: 'GET',
  path: '/profile/email',
  summary: 'The new email address that waits for its link.',
  query: none,
  body: noBody,
  response: z.object({
    pending: z.object({ email: z.string(), expiresAt: instant }).meta({ id: 'PendingEmail' }).nullable(),
  }),
});

export const requestEmailChange = declare({
  id: 'requestEmailChange',
  method: 'POST',
  path: '/profile/email',
  summary:
    'Emails a link to a new address, in the place of an earlier one. The address changes when the link is followed. The response is the same for an address that has an account.',
  query: none,
  body: z.strictObject({ email: z.string(), ...confirmation }),
  status: 204,
  response: noBody,
});

export const withdrawEmailChange = declare({
  id: 'withdrawEmailChange',
  method: 'DELETE',
  path: '/profile/email',
  summary: 'Withdraws the new address; its link stops working.',
  query: none,
  body: noBody,
  status: 204,
  response: noBody,
});

export const emailChangeSpecs = [getEmailChange, requestEmailChange, withdrawEmailChange];
