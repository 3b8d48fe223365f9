import { AppError } from '@platform/service-kit/values/app-error.ts';
import { rules, type Throttle } from '../../platform/throttle.ts';
import { checkAttempts } from '../../web/dashboard-api/input.ts';
import { businessOperation, type Operation, personOperation } from '../../web/dashboard-api/operation.ts';
import * as specs from './dashboard-schema.ts';
import {
  addOrders,
  type CreateSandboxDeps,
  createSandbox,
  type EndSandboxDeps,
  endSandbox,
  getSandbox,
  removeOrders,
  startOrders,
} from './operations.ts';

interface SandboxOperationsDeps
  extends EndSandboxDeps,
    Pick<CreateSandboxDeps, 'creations' | 'createBusiness'> {
  readonly throttle: Throttle;
  /** Whether people may make sandboxes; those that exist go on. */
  readonly maySandbox: boolean;
}

/** Operations on sandboxes. */
export function sandboxOperations(deps: SandboxOperationsDeps): Operation[] {
  return [
    personOperation(specs.createSandbox, async ({ personId, actor }) => {
      if (!deps.maySandbox) {
        throw new AppError('failed_precondition', 'sandboxes_off', 'sandboxes are switched off here');
      }
      await checkAttempts(deps.throttle, [[rules.sandboxPerson, personId]]);
      return { businessId: String(await createSandbox(deps, actor)) };
    }),
    businessOperation(specs.getSandbox, ({ businessId }) => getSandbox(deps, businessId)),
    businessOperation(specs.addSandboxOrders, async ({ businessId, body: { pace } }) => {
      await checkAttempts(deps.throttle, [[rules.sandboxOrdersBusiness, String(businessId)]]);
      await (pace === 'at_once' ? addOrders : startOrders)(deps, businessId);
    }),
    businessOperation(specs.deleteSandboxOrders, ({ businessId }) => removeOrders(deps, businessId)),
    businessOperation(specs.endSandbox, ({ businessId, actor }) => endSandbox(deps, actor, businessId)),
  ];
}
