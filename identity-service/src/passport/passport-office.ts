import type { Credential } from '../authorization/credential.ts';
import { type IssuePassport, isLongEnough, type Passport } from './passport.ts';

const maxKept = 10_000;

/** Issues passports and hands the same one out again while it lasts long enough: a signature costs more than a lookup. */
export function createPassportOffice(sign: (credential: Credential) => Promise<Passport>): IssuePassport {
  const kept = new Map<string, Passport>();
  return async (credential) => {
    const subject = `${credential.id} ${credential.scopes.join(' ')}`;
    const earlier = kept.get(subject);
    if (earlier !== undefined && isLongEnough(earlier, credential)) return earlier;
    const passport = await sign(credential);
    // A fresh entry goes to the end, so that the first one is the oldest.
    kept.delete(subject);
    kept.set(subject, passport);
    if (kept.size > maxKept) dropOldest(kept);
    return passport;
  };
}

function dropOldest(kept: Map<string, Passport>): void {
  for (const subject of kept.keys()) {
    kept.delete(subject);
    return;
  }
}
