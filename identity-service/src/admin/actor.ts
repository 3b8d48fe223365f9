import { userInfo } from 'node:os';

/** Who works here, for the audit log: the login at the operating system. */
export function operatorActor() {
  return { kind: 'operator', id: login(), clientIp: '' };
}

function login(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run a user without a name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
