import { addressBlock } from '@platform/service-kit/address-block.ts';
import { type AcceptInvitationDeps, acceptInvitation } from '../../../team/accept-invitation.ts';
import { type PreviewInvitationDeps, previewInvitation } from '../../../team/preview-invitation.ts';
import { rules } from '../../../throttle/rules.ts';
import type { Throttle } from '../../../throttle/throttle.ts';
import { checkAttempts } from '../check-attempts.ts';
import { type Operation, personOperation } from '../operation.ts';
import * as specs from './team-specs.ts';

export interface InvitationOperationsDeps extends AcceptInvitationDeps, PreviewInvitationDeps {
  readonly team: AcceptInvitationDeps['team'];
  readonly throttle: Throttle;
}

/** The other end of an invitation: whoever holds its link. */
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
