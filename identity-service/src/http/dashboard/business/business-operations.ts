import { AppError, toAppError } from '@platform/service-kit/app-error.ts';
import type { BusinessRecord, FindBusinessRecord } from '../../../applications/business-profile.ts';
import { type VerifyBusinessDeps, verifyBusiness } from '../../../people/submit-verification.ts';
import type { UsageReader } from '../../../usage/usage-reader.ts';
import { InvalidInput } from '../invalid-input.ts';
import { businessOperation, type Operation } from '../operation.ts';
import * as specs from './business-specs.ts';

export interface BusinessOperationsDeps extends VerifyBusinessDeps {
  readonly findBusiness: FindBusinessRecord;
  readonly usage: Pick<UsageReader, 'recentCalls'>;
}

/** Names of the fields in the form, by those of the facts. */
const fieldNames: Readonly<Record<string, string>> = {
  legal_name: 'legalName',
  registration_number: 'registrationNumber',
};

/** The business itself. */
export function businessOperations(deps: BusinessOperationsDeps): Operation[] {
  return [
    businessOperation(specs.getBusiness, async ({ businessId, requestId }) => {
      const business = await deps.findBusiness(businessId, requestId).catch(absentWhenUnavailable);
      return {
        id: String(businessId),
        record: business === undefined ? null : recordOf(business),
        verification: business === undefined ? null : verificationOf(business),
      };
    }),
    businessOperation(specs.getRecentCalls, ({ businessId }) => deps.usage.recentCalls(businessId)),
    businessOperation(specs.submitVerification, async ({ businessId, personId, body, actor }) => {
      const outcome = await verifyBusiness(deps, { personId, businessId, typed: body, actor });
      switch (outcome.kind) {
        case 'submitted':
          return;
        case 'refused': {
          const faults = Object.entries(outcome.faults);
          throw new InvalidInput(
            Object.fromEntries(faults.map(([name, text]) => [fieldNames[name] ?? name, text])),
          );
        }
        case 'not_now':
          throw new AppError(
            'failed_precondition',
            'verification_under_way',
            'what was handed in before is being checked, or was found right already',
          );
        case 'not_owner':
          throw new AppError('permission_denied', 'not_owner', 'only owners of the business may do this');
      }
    }),
  ];
}

function absentWhenUnavailable(error: unknown): undefined {
  if (toAppError(error).kind !== 'unavailable') throw error;
}

function recordOf({ id, logo, ...business }: BusinessRecord) {
  return { ...business, numericId: id, logo: logo || null };
}

function verificationOf(business: BusinessRecord) {
  const { verification: state, facts, submittedAt, decidedAt, rejectionReason } = business;
  return { state, facts: facts ?? null, submittedAt, decidedAt, rejectionReason: rejectionReason || null };
}
