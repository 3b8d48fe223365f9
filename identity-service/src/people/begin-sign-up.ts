import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { knownAddressLetter, signUpLetter } from './letters.ts';
import type { PersonStore } from './person-store.ts';
import type { PostOffice } from './post-office.ts';
import type { SignUpStore } from './sign-up-store.ts';

export interface BeginSignUpDeps {
  readonly hasher: SecretHasher;
  readonly people: Pick<PersonStore, 'findByEmail'>;
  readonly signUps: SignUpStore;
  readonly postOffice: PostOffice;
}

/**
 * Mails the link that leads on, or, to an address that has an account, a reminder of it. Whoever asked sees no difference:
 * all of it happens after the answer.
 * @param email lower case
 * @param onwards a path of ours as it leads on to where the sign-up came from
 */
export function beginSignUp(
  { hasher, people, signUps, postOffice }: BeginSignUpDeps,
  email: string,
  onwards: (path: string) => string,
): void {
  const { sendMail, background, publicUrl } = postOffice;
  background.run('sign-up', async () => {
    if ((await people.findByEmail(email)) !== undefined) {
      return sendMail({ to: email, ...knownAddressLetter(publicUrl, onwards('/login')) });
    }
    const token = createCheckedToken('su');
    await signUps.insert(hasher.hash(token), email);
    const path = onwards(`/signup/confirm?token=${token}`);
    await sendMail({ to: email, ...signUpLetter(publicUrl + path) });
  });
}
