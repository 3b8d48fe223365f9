import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Actor } from '../../platform/actor.ts';
import { type EmailContent, type Mailer, sendInBackground } from '../../web/mail.ts';
import type { PersonWithSecrets } from '../person.ts';
import { type CheckSecondFactorDeps, checkConfirmed, type Refusal } from '../second-factor.ts';
import { withdrawInvitationsOf } from '../team/members.ts';
import type { LockedMember } from '../team/team.ts';
import type { Activity, DeletionStore, DeletionTransaction } from './store.ts';

/** A business that the only owner must hand over or empty before the account can be deleted. */
export interface Obstacle extends Activity {
  readonly businessId: number;
  /** `members`: the team would have no owner. `active`: keys or apps would act for a business without people. */
  readonly reason: 'members' | 'active';
}

/** The obstacle of a business, if any. @param members all of it */
export function obstacleOf(
  businessId: number,
  personId: string,
  members: readonly LockedMember[],
  activity: Activity,
): Obstacle | undefined {
  const others = members.filter((member) => member.personId !== personId);
  const isOwner = members.some((member) => member.personId === personId && member.role === 'owner');
  if (!isOwner || others.some(({ role }) => role === 'owner')) return undefined;
  if (others.length > 0) return { businessId, reason: 'members', ...activity };
  const { keys, apps, connections } = activity;
  return keys + apps + connections > 0 ? { businessId, reason: 'active', ...activity } : undefined;
}

const refusals: Readonly<Record<Obstacle['reason'], string>> = {
  members:
    'you are the only owner of a business that has other members: make another member an owner, or remove them, first',
  active:
    'you are the only owner of a business with API keys or apps: delete them and disconnect apps, or make another person an owner, first',
};

/** Locks the teams of a person, and finds what is in the way. */
async function lockTeams(
  transaction: DeletionTransaction,
  personId: string,
): Promise<{ readonly businessIds: readonly number[]; readonly obstacles: readonly Obstacle[] }> {
  const businessIds = await transaction.businessIds(personId);
  const obstacles: Obstacle[] = [];
  for (const businessId of businessIds) {
    const members = await transaction.team.lockMembers(businessId);
    const obstacle = obstacleOf(businessId, personId, members, await transaction.activity(businessId));
    if (obstacle !== undefined) obstacles.push(obstacle);
  }
  return { businessIds, obstacles };
}

/** Businesses that keep a person from deleting the account. */
export async function findObstacles(
  { deletions }: { readonly deletions: DeletionStore },
  personId: string,
): Promise<readonly Obstacle[]> {
  return (await deletions.inTransaction((transaction) => lockTeams(transaction, personId))).obstacles;
}

export interface DeleteAccountDeps extends Omit<CheckSecondFactorDeps, 'people'> {
  readonly deletions: DeletionStore;
  readonly mailer: Mailer;
}

interface DeleteAccountInput {
  /** The person, whose password was right. */
  readonly person: PersonWithSecrets;
  /** Of the second factor; undefined when none is needed. */
  readonly code: string | undefined;
  readonly actor: Actor;
}

/**
 * Deletes an account at once. API keys, apps and the audit log stay with the businesses. An email confirms it.
 * @throws AppError failed_precondition for the only owner of a business with other members, keys or apps
 */
export async function deleteAccount(
  deps: DeleteAccountDeps,
  { person, code, actor }: DeleteAccountInput,
): Promise<'deleted' | Refusal> {
  const { id: personId } = person;
  const outcome = await deps.deletions.inTransaction(async (transaction) => {
    // Locks teams before the person, in the same order as changes of a team.
    const { businessIds, obstacles } = await lockTeams(transaction, personId);
    const { person: account } = transaction;
    await transaction.lockPerson(personId);
    const refusal = await checkConfirmed(deps, account, { person, code, actor });
    if (refusal !== undefined) return refusal;
    const [obstacle] = obstacles;
    if (obstacle !== undefined) {
      throw new AppError('failed_precondition', `only_owner_${obstacle.reason}`, refusals[obstacle.reason]);
    }
    for (const businessId of businessIds) {
      await withdrawInvitationsOf(transaction.team, actor, businessId, personId);
    }
    const noticeDetails = { name: person.name };
    await account.audit(personId, { actor, action: 'person.deleted', noticeDetails });
    await transaction.deletePerson(personId);
    return 'deleted';
  });
  if (outcome === 'deleted') sendInBackground(deps.mailer, person.email, accountDeletedEmail());
  return outcome;
}

function accountDeletedEmail(): EmailContent {
  return {
    subject: 'Your account was deleted',
    text: `Your Business API account was deleted, as you asked for with your password. All sessions have ended, and your name, email address,
password and second factor are removed. API keys that you created belong to their businesses and keep working there.

If it was not you, another person knew your password: contact our support, and change the password wherever else you use it.
`,
  };
}
