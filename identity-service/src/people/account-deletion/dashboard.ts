import { incorrectPassword } from '../../web/dashboard-api/input.ts';
import { type Operation, personOperation } from '../../web/dashboard-api/operation.ts';
import type { Sessions } from '../../web/sessions/browser-session.ts';
import { type ConfirmDeps, confirmPassword, refusedCode } from '../profile/dashboard.ts';
import * as specs from './dashboard-schema.ts';
import { type DeleteAccountDeps, deleteAccount, findObstacles } from './delete-account.ts';

interface DeletionOperationsDeps extends DeleteAccountDeps, ConfirmDeps {
  readonly sessions: Sessions;
}

/** Operations that delete the account of the person. */
export function deletionOperations(deps: DeletionOperationsDeps): Operation[] {
  return [
    personOperation(specs.getDeletion, async ({ personId }) => {
      const obstacles = await findObstacles(deps, personId);
      return {
        obstacles: obstacles.map((each) => ({ ...each, businessId: String(each.businessId) })),
      };
    }),
    personOperation(specs.deleteAccount, async (call) => {
      const { actor, req, res } = call;
      const outcome = await deleteAccount(deps, { ...(await confirmPassword(deps, call)), actor });
      if (outcome === 'wrong_password') throw incorrectPassword();
      if (outcome === 'wrong_code') throw refusedCode();
      await deps.sessions.end(req, res);
    }),
  ];
}
