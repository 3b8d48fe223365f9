import type { IssuePassport, Passport } from '../passport/passport.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { bearerKind } from './bearer-kind.ts';
import type { Credential, FindCredential } from './credential.ts';
import { type Demand, findRefusal, type Refusal } from './refusals.ts';

export interface AuthorizeDeps {
  readonly hasher: Pick<SecretHasher, 'candidates'>;
  readonly findCredential: FindCredential;
  readonly issuePassport: IssuePassport;
}

export interface AuthorizeInput extends Demand {
  /** The credential exactly as it stood behind `Bearer `. */
  readonly bearer: string;
  /** Monotonic milliseconds after which nobody hears the decision. */
  readonly endsAt: number;
}

/** The decision about a request. Refusals are answers, not errors. */
export type Authorization =
  | { readonly outcome: 'invalid' }
  | { readonly outcome: Refusal; readonly credential: Credential }
  | { readonly outcome: 'allowed'; readonly credential: Credential; readonly passport: Passport };

/** Decides whether a bearer may do what a request asks: format, lookup, refusals, passport. */
export async function authorize(
  { hasher, findCredential, issuePassport }: AuthorizeDeps,
  { bearer, endsAt, ...demand }: AuthorizeInput,
): Promise<Authorization> {
  const kind = bearerKind(bearer);
  if (kind === undefined) return { outcome: 'invalid' };
  const credential = await findCredential(kind, hasher.candidates(bearer), endsAt);
  if (credential === undefined) return { outcome: 'invalid' };
  const refusal = findRefusal(credential, demand);
  if (refusal !== undefined) return { outcome: refusal, credential };
  return { outcome: 'allowed', credential, passport: await issuePassport(credential) };
}
