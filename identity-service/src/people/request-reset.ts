import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { resetLetter } from './letters.ts';
import type { PersonStore } from './person-store.ts';
import type { PostOffice } from './post-office.ts';

export interface RequestResetDeps {
  readonly people: PersonStore;
  readonly hasher: SecretHasher;
  readonly postOffice: PostOffice;
}

export interface RequestResetInput {
  /** Lower case. */
  readonly email: string;
  readonly clientIp: string;
  readonly requestId: string;
}

/** Mails a link that lets a new password be set, if the address has an account: all of it after the answer. */
export function requestReset(
  { people, hasher, postOffice }: RequestResetDeps,
  { email, clientIp, requestId }: RequestResetInput,
): void {
  const { sendMail, background, publicUrl } = postOffice;
  background.run('password reset', async () => {
    const person = await people.findByEmail(email);
    if (person === undefined) return;
    const token = createCheckedToken('pr');
    await people.inTransaction(async (transaction) => {
      await transaction.addReset(person.id, hasher.hash(token));
      // Whoever knows the address may ask: it is not known to be the person.
      const actor = { kind: 'system', id: 'password-reset', clientIp, requestId } as const;
      await transaction.audit(person.id, { actor, action: 'person.password_reset_requested' });
    });
    await sendMail({ to: email, ...resetLetter(`${publicUrl}/password/reset?token=${token}`) });
  });
}
