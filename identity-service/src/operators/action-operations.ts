import { type FreezeBusinessDeps, freezeBusiness, liftFreeze } from '../businesses/freeze.ts';
import { type TakeDownLogoDeps, takeDownLogo } from '../businesses/logos/operations.ts';
import { type DecideVerificationDeps, decideVerification } from '../businesses/record.ts';
import { type ChangeApiKeyDeps, setApiKeyLimit } from '../credentials/api-keys/operations.ts';
import { setConnectedUserLimit } from '../credentials/applications/operations.ts';
import {
  resumeApplication,
  setPublisherBan,
  suspendApplication,
} from '../credentials/applications/suspend.ts';
import type { Actor, AuditEvent } from '../platform/actor.ts';
import { checkOperatorReason } from '../platform/reason.ts';
import { rules, type Throttle } from '../platform/throttle.ts';
import { checkAttempts, withFields } from '../web/dashboard-api/input.ts';
import { type Operation, personOperation } from '../web/dashboard-api/operation.ts';
import * as specs from './action-schema.ts';
import { businessIdOf, noBusiness } from './dashboard.ts';
import type { FourEyesStore } from './four-eyes-store.ts';
import { type DecideLimitDeps, declineLimitRequest, grantLimitRequest } from './limit-requests/operations.ts';
import { confirmBan, declineBan, type ProposeDeps, proposeBan } from './proposal.ts';

export interface OperatorActionDeps
  extends ProposeDeps,
    DecideLimitDeps,
    ChangeApiKeyDeps,
    TakeDownLogoDeps,
    FreezeBusinessDeps,
    DecideVerificationDeps {
  /** Whether bans and their ends need two operators. */
  readonly fourEyes: Pick<FourEyesStore, 'read'>;
  readonly throttle: Throttle;
  readonly audit: (event: AuditEvent) => Promise<void>;
}

/** Form fields by reason of an error. */
const fieldOf = { invalid_reason: 'reason', invalid_limit: 'limit' };

/** A change of an operator, with its reason. */
interface Change {
  readonly actor: Actor;
  readonly reason: string;
}

/** Checks the reason, counts the attempt, then runs `work`. @throws InvalidInput, TooManyAttempts and errors of `work` */
function withReason<T>(
  { throttle }: Pick<OperatorActionDeps, 'throttle'>,
  { actor, body }: { readonly actor: Actor; readonly body: { readonly reason: string } },
  work: (change: Change) => Promise<T>,
): Promise<T> {
  return withFields(fieldOf, async () => {
    const reason = checkOperatorReason(body.reason);
    await checkAttempts(throttle, [[rules.operatorAction, actor.id]]);
    return work({ actor, reason });
  });
}

/** Operations that change something of a business. */
export function operatorActionOperations(deps: OperatorActionDeps): Operation[] {
  return [
    ...businessActions(deps),
    ...applicationActions(deps),
    personOperation(specs.setKeyLimit, async (call) => {
      const { param, body } = call;
      const reference = { businessId: businessIdOf(param), apiKeyId: param('apiKeyId'), limit: body.limit };
      const { propagation } = await withReason(deps, call, (change) =>
        setApiKeyLimit(deps, { ...change, ...reference }),
      );
      return { propagation };
    }),
    personOperation(specs.grantLimit, async (call) => {
      const request = { id: call.param('limitRequestId'), limit: call.body.limit };
      await withReason(deps, call, (change) => grantLimitRequest(deps, { ...change, ...request }));
    }),
    personOperation(specs.declineLimit, async (call) => {
      const id = call.param('limitRequestId');
      await withReason(deps, call, (change) => declineLimitRequest(deps, { ...change, id }));
    }),
  ];
}

function businessActions(deps: OperatorActionDeps): Operation[] {
  const verification = (spec: typeof specs.approve | typeof specs.reject, approved: boolean) =>
    personOperation(spec, (call) => {
      const input = { businessId: businessIdOf(call.param), approved, submittedAt: call.body.submittedAt };
      return withReason(deps, call, (change) => decideVerification(deps, { ...change, ...input }));
    });
  const setBan = (spec: typeof specs.ban | typeof specs.unban, isBanned: boolean) =>
    personOperation(spec, async (call) => {
      const businessId = businessIdOf(call.param);
      return withReason(deps, call, async (change) => {
        const input = { ...change, businessId, isBanned };
        const { isOn } = await deps.fourEyes.read();
        if (isOn) return { propagation: null, proposalId: await proposeBan(deps, input) };
        return { propagation: await setPublisherBan(deps, input), proposalId: null };
      });
    });
  return [
    verification(specs.approve, true),
    verification(specs.reject, false),
    setBan(specs.ban, true),
    setBan(specs.unban, false),
    personOperation(specs.freeze, async (call) => {
      const businessId = businessIdOf(call.param);
      if (!(await deps.businessExists(businessId, call.requestId))) throw noBusiness();
      const freeze = (change: Change) => freezeBusiness(deps, { ...change, businessId, mustChange: true });
      return { propagation: await withReason(deps, call, freeze) };
    }),
    personOperation(specs.liftFreeze, async (call) => {
      const businessId = businessIdOf(call.param);
      const lift = (change: Change) => liftFreeze(deps, { ...change, businessId, mustChange: true });
      return { propagation: await withReason(deps, call, lift) };
    }),
    personOperation(specs.removeLogo, (call) => {
      const businessId = businessIdOf(call.param);
      return withReason(deps, call, (change) => takeDownLogo(deps, { ...change, businessId }));
    }),
    personOperation(specs.confirmProposal, async (call) => {
      const id = call.param('proposalId');
      return { propagation: await withReason(deps, call, (change) => confirmBan(deps, { ...change, id })) };
    }),
    personOperation(specs.declineProposal, (call) => {
      const id = call.param('proposalId');
      return withReason(deps, call, (change) => declineBan(deps, { ...change, id }));
    }),
  ];
}

function applicationActions(deps: OperatorActionDeps): Operation[] {
  const suspension = (
    spec: typeof specs.suspend | typeof specs.resume,
    change: typeof suspendApplication | typeof resumeApplication,
  ) =>
    personOperation(spec, async (call) => {
      const application = {
        businessId: businessIdOf(call.param),
        applicationId: call.param('applicationId'),
      };
      const { propagation } = await withReason(deps, call, (by) =>
        change(deps, { ...by, ...application, cause: 'operator', mustChange: true }),
      );
      return { propagation };
    });
  return [
    suspension(specs.suspend, suspendApplication),
    suspension(specs.resume, resumeApplication),
    personOperation(specs.setApplicationLimit, async (call) => {
      const { param, body } = call;
      const application = { businessId: businessIdOf(param), applicationId: param('applicationId') };
      await withReason(deps, call, (change) =>
        setConnectedUserLimit(deps, { ...change, ...application, limit: body.limit }),
      );
    }),
  ];
}
