import { AppError } from '@platform/service-kit/app-error.ts';
import type { FindBusiness } from '../../../applications/business-profile.ts';
import { scopes } from '../../../authorization/scope.ts';
import type { FreezeStore } from '../../../freezes/freeze-store.ts';
import { scopeWords } from '../../../oauth/authorization/scope-words.ts';
import type { PersonStore } from '../../../people/person-store.ts';
import type { OwnBusiness } from '../../people/account-page.ts';
import { ownBusinesses } from '../../people/own-businesses.ts';
import { type Operation, personOperation } from '../operation.ts';
import { getSession, listScopes } from './session-specs.ts';

export interface SessionOperationsDeps {
  readonly people: Pick<PersonStore, 'find' | 'memberships'>;
  readonly findBusiness: FindBusiness;
  readonly freezes: Pick<FreezeStore, 'frozenAmong'>;
}

export function sessionOperations({ people, findBusiness, freezes }: SessionOperationsDeps): Operation[] {
  return [
    personOperation(getSession, async ({ personId, requestId, res }) => {
      const [person, businesses] = await Promise.all([
        people.find(personId),
        ownBusinesses(people, findBusiness, personId, requestId),
      ]);
      if (person === undefined) throw new AppError('internal', 'person_gone', 'unexpected error');
      const frozen = await freezes.frozenAmong(businesses.map(({ businessId }) => businessId));
      return {
        person: { ...person, secondFactor: person.secondFactor === 'on' },
        csrfToken: res.locals.session.csrfToken,
        businesses: businesses.map((business) => ({
          ...toOwnBusiness(business),
          frozen: frozen.has(business.businessId),
        })),
      };
    }),
    personOperation(listScopes, () => ({
      scopes: scopes.map((scope) => ({ scope, words: scopeWords[scope] })),
    })),
  ];
}

function toOwnBusiness({ businessId, role, profile }: OwnBusiness) {
  return {
    id: String(businessId),
    name: profile?.accountHolder ?? '',
    username: profile?.username ?? '',
    role,
    verification: profile?.verification ?? null,
  };
}
