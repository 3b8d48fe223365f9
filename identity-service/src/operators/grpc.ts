import type { OperatorInvitationMessage, operatorService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/validation.ts';
import { z } from 'zod';
import { actorOf, emailAddress } from '../platform/grpc-requests.ts';
import type { FourEyes, FourEyesStore } from './four-eyes-store.ts';
import { checkLog } from './log.ts';
import type { OperatorLogStore } from './log-store.ts';
import {
  type InviteOperatorDeps,
  inviteOperator,
  type OperatorInvitation,
  removeOperator,
} from './operator.ts';

interface OperatorDeps extends InviteOperatorDeps {
  readonly log: OperatorLogStore;
  readonly fourEyes: FourEyesStore;
}

const fourEyesRequest = (requestId: string) => z.object({ actor: actorOf(requestId), isOn: z.boolean() });

const fourEyesMessage = ({ isOn, offAskedBy = '' }: FourEyes) => ({ isOn, offAskedBy });

const changeRequest = (requestId: string) => z.object({ actor: actorOf(requestId), email: emailAddress });

const checkRequest = z.object({
  count: z.int().min(0),
  hash: z.string().regex(/^([0-9a-f]{64})?$/, 'must be a hash of an earlier response'),
  limit: z.int().min(1).max(1_000),
});

function invitationMessage({ email, invitedBy, expiresAt }: OperatorInvitation): OperatorInvitationMessage {
  return { email, invitedBy, expiresAtUnixMs: expiresAt };
}

/** Handlers of identity.v1.OperatorService. */
export function operatorHandlers(deps: OperatorDeps): UnaryHandlers<typeof operatorService> {
  const { operators, log, fourEyes } = deps;
  return {
    InviteOperator: async (request, { requestId }) => {
      const invitation = await inviteOperator(deps, parseRequest(changeRequest(requestId), request));
      return { invitation: invitationMessage(invitation) };
    },
    ListOperators: async () => {
      const [found, invitations] = await Promise.all([operators.list(), operators.invitations()]);
      return {
        operators: found.map(({ since, ...operator }) => ({ ...operator, sinceUnixMs: since })),
        invitations: invitations.map(invitationMessage),
      };
    },
    RemoveOperator: async (request, { requestId }) => {
      await removeOperator(deps, parseRequest(changeRequest(requestId), request));
      return {};
    },
    GetFourEyes: async () => fourEyesMessage(await fourEyes.read()),
    SetFourEyes: async (request, { requestId }) => {
      const { actor, isOn } = parseRequest(fourEyesRequest(requestId), request);
      return fourEyesMessage(await fourEyes.set(actor, isOn));
    },
    CheckOperatorLog: async (request) => {
      const { limit, ...before } = parseRequest(checkRequest, request);
      return checkLog(before, limit, log);
    },
  };
}
