/* Words for what the details of an event give as its cause or kind, by the recorded value. */

const deletedForLeak = (key: string): string => `Deleted ${key}, which was reported as leaked`;

/** Why the platform deleted a key. */
export const keyDeletions: Readonly<Record<string, (key: string) => string>> = {
  self: (key) => `Deleted ${key}, which revoked itself`,
  leak: deletedForLeak,
};

/** Done about a key that leaked. */
export const leakOutcomes: Readonly<Record<string, (key: string) => string>> = {
  deleted: deletedForLeak,
  frozen: (key) => `Froze ${key}, which was reported as leaked`,
  already_frozen: (key) => `Informed the owners that ${key}, which is frozen, was reported as leaked`,
};

/** Reasons of the end of a Grant. */
export const grantEnds: Readonly<Record<string, (app: string) => string>> = {
  disconnected: (app) => `Disconnected ${app}`,
  revoked: (app) => `Revoked the access of ${app}`,
  code_reuse: (app) => `Ended the access of ${app}: an authorization code was used twice`,
  refresh_reuse: (app) => `Ended the access of ${app}: a refresh token was used twice`,
};

/** Causes of suspensions of an application. */
export const suspensions: Readonly<Record<string, (app: string) => string>> = {
  operator: (app) => `Suspended ${app} as operator: its tokens were refused from then on`,
  publisher: (app) => `Suspended ${app}: its tokens were refused from then on`,
  ban: (app) => `Suspended ${app}, as its publisher was banned`,
};

/** Causes of their ends. */
export const resumptions: Readonly<Record<string, (app: string) => string>> = {
  operator: (app) => `Resumed ${app} as operator`,
  publisher: (app) => `Resumed ${app}`,
  ban: (app) => `Resumed ${app}, as the ban of its publisher was lifted`,
};

/** Second factors of logins. */
export const logins: Readonly<Record<string, string>> = {
  code: 'Logged in with the second factor',
  recovery_code: 'Logged in with a recovery code',
  passkey: 'Logged in with a passkey',
};
