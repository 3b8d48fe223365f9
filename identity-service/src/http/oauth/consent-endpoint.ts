import type { RequestHandler } from 'express';
import { z } from 'zod';
import { approveAuthorization } from '../../oauth/authorization/approve-authorization.ts';
import { openTicket } from '../../oauth/authorization/consent-ticket.ts';
import { denyAuthorization } from '../../oauth/authorization/deny-authorization.ts';
import { fieldsOf } from '../read-form.ts';
import { personOf } from '../require-person.ts';
import { approvalAnswer, staleConsent } from './approval-answer.ts';
import type { AuthorizeDeps } from './authorize-deps.ts';
import { returnToApplication } from './return-to-application.ts';

const consentForm = z.strictObject({
  ticket: z.string(),
  business: z.string().optional(),
  decision: z.enum(['approve', 'deny']),
});

/** POST /oauth/consent: the answer of the person who was asked. Everything else is taken from the sealed ticket. */
export function consentEndpoint(deps: AuthorizeDeps): RequestHandler {
  return async (_req, res) => {
    const { caller, form, session } = res.locals;
    const fields = fieldsOf(consentForm, form);
    const personId = personOf(res);
    const ticket = openTicket(deps.sealer, fields.ticket, { sessionId: session.id, personId });
    if (ticket === undefined) throw staleConsent();
    const { id: consentId, request, businessIds } = ticket;
    if (fields.decision === 'deny') {
      if (!(await denyAuthorization(deps, consentId))) throw staleConsent();
      const answer = { error: 'access_denied', description: 'the request was denied' } as const;
      return returnToApplication(res, request, answer, deps.issuer);
    }
    const businessId = businessIds.find((candidate) => String(candidate) === fields.business);
    if (businessId === undefined) throw staleConsent();
    const actor = {
      kind: 'person',
      id: personId,
      clientIp: caller.clientIp,
      requestId: caller.requestId,
    } as const;
    const approval = await approveAuthorization(deps, { actor, personId, businessId, request, consentId });
    returnToApplication(res, request, approvalAnswer(approval), deps.issuer);
  };
}
