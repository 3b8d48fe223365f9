import type { Freeze } from '../../../freezes/freeze.ts';
import { type FreezeBusinessDeps, freezeBusiness } from '../../../freezes/freeze-business.ts';
import { liftFreeze } from '../../../freezes/lift-freeze.ts';
import type { PersonStore } from '../../../people/person-store.ts';
import { businessOperation, type Operation } from '../operation.ts';
import { withFields } from '../with-fields.ts';
import * as specs from './freeze-specs.ts';

export interface FreezeOperationsDeps extends FreezeBusinessDeps {
  readonly people: Pick<PersonStore, 'find'>;
}

/** The switch that shuts every API request of a business out. */
export function freezeOperations(deps: FreezeOperationsDeps): Operation[] {
  const { freezes, people } = deps;
  const freezeOf = async (businessId: number) => {
    const freeze = await freezes.find(businessId);
    return freeze === undefined ? null : toAnswer(people, freeze);
  };
  return [
    businessOperation(specs.getFreeze, async ({ businessId }) => ({ freeze: await freezeOf(businessId) })),
    businessOperation(specs.freezeBusiness, async ({ actor, businessId, body: { reason } }) => {
      const propagation = await withFields({ invalid_reason: 'reason' }, () =>
        freezeBusiness(deps, { actor, businessId, reason }),
      );
      return { freeze: await freezeOf(businessId), propagation };
    }),
    businessOperation(specs.liftFreeze, ({ actor, businessId }) => liftFreeze(deps, { actor, businessId })),
  ];
}

async function toAnswer(people: Pick<PersonStore, 'find'>, { personId, frozenAt, reason }: Freeze) {
  const person = await people.find(personId);
  return { frozenAt, reason, frozenBy: { personId, name: person?.name ?? '' } };
}
