import { randomBytes } from 'node:crypto';

/** One thing that happened in a flow, to be shown: what was sent, and what came back. Without secrets. */
export interface Step {
  readonly title: string;
  /** What it is good for. */
  readonly why: string;
  readonly request: string;
  /** Absent where somebody else gets the answer. */
  readonly answer?: string | undefined;
  readonly failed: boolean;
}

/** What the application remembers of an authorization request that is under way. */
export interface Pending {
  readonly state: string;
  readonly codeVerifier: string;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A browser's flow as the application knows it. The browser itself holds nothing but a random cookie. */
export interface Visit {
  pending?: Pending | undefined;
  tokens?: Tokens | undefined;
  readonly steps: Step[];
}

/** Visits by the cookie's value. */
export interface Visits {
  find(id: string | undefined): Visit | undefined;
  /** A new visit in the place of an old one. Returns its id. */
  begin(visit: Visit, oldId: string | undefined): string;
}

const maxVisits = 100;

/** Visits in memory, the newest hundred. */
export function createVisits(): Visits {
  const visits = new Map<string, Visit>();
  return {
    find: (id = '') => visits.get(id),
    begin: (visit, oldId = '') => {
      visits.delete(oldId);
      const [oldest] = visits.keys();
      if (visits.size >= maxVisits && oldest !== undefined) visits.delete(oldest);
      const id = randomBytes(24).toString('base64url');
      visits.set(id, visit);
      return id;
    },
  };
}
