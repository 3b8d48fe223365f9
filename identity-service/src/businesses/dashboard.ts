import { AppError, toAppError } from '@platform/service-kit/values/app-error.ts';
import type { BusinessRecord, EraseCustomer, FindBusiness, FindBusinessRecord } from '../clients/business.ts';
import { type OwnBusiness, ownBusinesses } from '../people/pages/account.ts';
import { existingPerson, hasSecondFactor } from '../people/person.ts';
import type { PersonStore } from '../people/store.ts';
import { type VerifyBusinessDeps, verifyBusiness } from '../people/verification.ts';
import type { AuditEvent } from '../platform/actor.ts';
import { roleMissingError } from '../platform/role.ts';
import type { ApiScopes } from '../platform/scope.ts';
import { type FieldErrors, hasErrors } from '../platform/text.ts';
import { rules, type Throttle, takeBack } from '../platform/throttle.ts';
import { checkAttempts, InvalidInput, withFields } from '../web/dashboard-api/input.ts';
import { businessOperation, type Operation, personOperation } from '../web/dashboard-api/operation.ts';
import { type CreateBusinessDeps, createOwnBusiness } from './creation.ts';
import * as specs from './dashboard-schema.ts';
import { getSession, listScopes } from './dashboard-schema.ts';
import { type FreezeBusinessDeps, freezeBusiness, liftFreeze } from './freeze.ts';
import type { Freeze, FreezeStore } from './freeze-store.ts';
import { removeLogo, type SetLogoDeps, setLogo } from './logos/operations.ts';
import { changeRecord, validateRecord } from './record.ts';

interface BusinessOperationsDeps extends VerifyBusinessDeps {
  readonly findBusiness: FindBusinessRecord;
}

/** Fields of the request, by the names in validation errors. */
const fieldNames: Readonly<Record<string, string>> = {
  legal_name: 'legalName',
  registration_number: 'registrationNumber',
};

/** Operations on the business itself: record and verification. */
export function businessOperations(deps: BusinessOperationsDeps): Operation[] {
  return [
    businessOperation(specs.getBusiness, async ({ businessId, requestId }) => {
      const business = await deps.findBusiness(businessId, requestId).catch(undefinedWhenUnavailable);
      return {
        id: String(businessId),
        record: business === undefined ? null : recordOf(business),
        verification: business === undefined ? null : verificationOf(business),
      };
    }),
    businessOperation(specs.submitVerification, async ({ businessId, personId, body, actor }) => {
      const outcome = await verifyBusiness(deps, { personId, businessId, submitted: body, actor });
      switch (outcome.kind) {
        case 'submitted':
          return;
        case 'refused':
          throw invalidFields(outcome.errors);
        case 'not_now':
          throw new AppError(
            'failed_precondition',
            'verification_under_way',
            'the business is already verified, or its verification is pending',
          );
        case 'not_owner':
          throw roleMissingError('owner');
      }
    }),
  ];
}

function invalidFields(errors: FieldErrors): InvalidInput {
  const named = Object.entries(errors).map(([name, text]) => [fieldNames[name] ?? name, text]);
  return new InvalidInput(Object.fromEntries(named));
}

interface CreationOperationsDeps extends CreateBusinessDeps {
  readonly throttle: Throttle;
}

/** The operation that creates another business. */
export function creationOperations(deps: CreationOperationsDeps): Operation[] {
  return [
    personOperation(specs.createBusiness, ({ personId, actor, body }) =>
      withinCreationLimits(deps.throttle, personId, async () => {
        const creation = await createOwnBusiness(deps, { actor, submitted: body });
        if (creation.kind === 'refused') throw invalidFields(creation.errors);
        return { businessId: String(creation.businessId) };
      }),
    ),
  ];
}

/** Counts attempts to create a business and, separately, those that succeed. @throws TooManyAttempts */
async function withinCreationLimits<T>(
  throttle: Throttle,
  personId: string,
  create: () => Promise<T>,
): Promise<T> {
  await checkAttempts(throttle, [
    [rules.creationAttemptPerson, personId],
    [rules.creationPerson, personId],
  ]);
  try {
    return await create();
  } catch (error) {
    // If taking it back fails, the attempt stays counted and the original error is still thrown.
    await takeBack(throttle, [rules.creationPerson, personId]).catch(() => undefined);
    throw error;
  }
}

interface RecordOperationsDeps extends SetLogoDeps {
  readonly throttle: Throttle;
}

/** Operations that change the record. Each is an event for every receiver, so there is a limit. */
export function recordOperations(deps: RecordOperationsDeps): Operation[] {
  const count = (businessId: number) =>
    checkAttempts(deps.throttle, [[rules.recordBusiness, String(businessId)]]);
  return [
    businessOperation(
      specs.updateBusiness,
      async ({ actor, businessId, body: { accountHolder, username } }) => {
        const submitted = {
          ...(accountHolder !== undefined && { accountHolder }),
          ...(username !== undefined && { username }),
        };
        const { changes, errors } = validateRecord(submitted);
        if (hasErrors(errors)) throw invalidFields(errors);
        if (Object.keys(changes).length === 0) throw new InvalidInput({ '': 'must name a field' });
        await count(businessId);
        const fields = { username_taken: 'username', username_locked: 'username' };
        const { business } = await withFields(fields, () =>
          changeRecord(deps, { actor, businessId, changes }),
        );
        return { record: recordOf(business) };
      },
    ),
    businessOperation(specs.setLogo, async ({ actor, businessId, body }) => {
      await count(businessId);
      return { record: recordOf(await setLogo(deps, { actor, businessId, file: body })) };
    }),
    businessOperation(specs.removeLogo, async ({ actor, businessId }) => {
      await count(businessId);
      return { record: recordOf(await removeLogo(deps, { actor, businessId })) };
    }),
  ];
}

function undefinedWhenUnavailable(error: unknown): undefined {
  if (toAppError(error).kind !== 'unavailable') throw error;
}

function recordOf({ id, logo, ...business }: BusinessRecord) {
  return { ...business, numericId: id, logo: logo || null };
}

function verificationOf(business: BusinessRecord) {
  const { verification: state, facts, submittedAt, decidedAt, rejectionReason } = business;
  return { state, facts: facts ?? null, submittedAt, decidedAt, rejectionReason: rejectionReason || null };
}

interface CustomerOperationsDeps {
  readonly eraseCustomer: EraseCustomer;
  readonly audit: (event: AuditEvent) => Promise<void>;
}

/** The operation that erases a customer. The audit log has who did it, and not of whom. */
export function customerOperations({ eraseCustomer, audit }: CustomerOperationsDeps): Operation[] {
  return [
    businessOperation(specs.eraseCustomer, async ({ actor, businessId, body: { email } }) => {
      const erasure = await withFields({ invalid_email: 'email' }, () =>
        eraseCustomer(businessId, email, actor),
      );
      const { orders, events, isComplete } = erasure;
      // A repetition that only waited is none of its own.
      if (isComplete || events > 0) {
        const subjectId = String(businessId);
        const details = { orders, events };
        await audit({ actor, businessId, action: 'business.customer_erased', subjectId, details });
      }
      return erasure;
    }),
  ];
}

interface FreezeOperationsDeps extends FreezeBusinessDeps {
  readonly people: Pick<PersonStore, 'find'>;
}

/** Operations on the freeze, which refuses every API request of a business. */
export function freezeOperations(deps: FreezeOperationsDeps): Operation[] {
  const { freezes, people } = deps;
  const freezeOf = async (businessId: number) => {
    const freeze = await freezes.find(businessId);
    return freeze === undefined ? null : toFreezeResponse(people, freeze);
  };
  return [
    businessOperation(specs.getFreeze, async ({ businessId }) => ({ freeze: await freezeOf(businessId) })),
    businessOperation(specs.freezeBusiness, async ({ actor, businessId, body: { reason } }) => {
      const propagation = await withFields({ invalid_reason: 'reason' }, () =>
        freezeBusiness(deps, { actor, businessId, reason }),
      );
      return { freeze: await freezeOf(businessId), propagation };
    }),
    businessOperation(specs.liftFreeze, async ({ actor, businessId }) => ({
      propagation: await liftFreeze(deps, { actor, businessId }),
    })),
  ];
}

async function toFreezeResponse(people: Pick<PersonStore, 'find'>, { personId, frozenAt, reason }: Freeze) {
  const person = personId === '' ? undefined : await people.find(personId);
  const frozenBy = personId === '' ? null : { personId, name: person?.name ?? '' };
  return { frozenAt, reason, frozenBy };
}

interface SessionOperationsDeps {
  readonly people: Pick<PersonStore, 'find' | 'memberships'>;
  readonly findBusiness: FindBusiness;
  readonly freezes: Pick<FreezeStore, 'frozenAmong'>;
  readonly supportEmail: string;
  /** Whether people may make sandboxes. */
  readonly maySandbox: boolean;
  /** For how long requests are in the log. */
  readonly requestsKept: { readonly days: number; readonly newest: number | null };
  readonly apiScopes: ApiScopes;
}

/** Operations on the current session, and the list of scopes. */
export function sessionOperations(deps: SessionOperationsDeps): Operation[] {
  const { people, findBusiness, freezes, supportEmail, maySandbox, requestsKept, apiScopes } = deps;
  return [
    personOperation(getSession, async ({ personId, requestId, res }) => {
      const [found, businesses] = await Promise.all([
        people.find(personId),
        ownBusinesses(people, findBusiness, personId, requestId),
      ]);
      const person = existingPerson(found);
      const frozen = await freezes.frozenAmong(businesses.map(({ businessId }) => businessId));
      return {
        person: { ...person, secondFactor: hasSecondFactor(person) },
        csrfToken: res.locals.session.csrfToken,
        supportEmail,
        maySandbox,
        requestsKept,
        businesses: businesses.map((business) => ({
          ...toOwnBusiness(business),
          frozen: frozen.has(business.businessId),
        })),
      };
    }),
    personOperation(listScopes, () => ({
      scopes: [...apiScopes].map(([scope, words]) => ({ scope, words })),
    })),
  ];
}

function toOwnBusiness({ businessId, role, requiresSecondFactor, sandboxOf, profile }: OwnBusiness) {
  return {
    id: String(businessId),
    name: profile?.accountHolder ?? '',
    username: profile?.username ?? '',
    role,
    requiresSecondFactor,
    isSandbox: sandboxOf !== undefined,
    verification: profile?.verification ?? null,
  };
}
