import { execFileSync } from 'node:child_process';

/** PostgreSQL refuses to run as root: how to start its programs as somebody else. */
export interface Unprivileged {
  /** Command and arguments that go in front of the program. */
  readonly prefix: readonly string[];
  /** Owner for the data directory; undefined when that is simply us. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * Not root: nothing to do. Root: PostgreSQL runs as `postgres` or else `nobody`, by setpriv with the right to pass
 * directories that only root may enter, since the checkout often lies in one.
 * @throws when setpriv is missing
 */
export function unprivileged(): Unprivileged {
  if (process.getuid?.() !== 0) return { prefix: [], owner: undefined };
  const owner = accountOf('postgres') ?? accountOf('nobody');
  if (owner === undefined || !hasSetpriv()) {
    throw new Error(
      'PostgreSQL does not run as root, and this machine lacks setpriv: start as another user.',
    );
  }
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  // The last one: initdb asks access(2), which otherwise looks at the account alone (capabilities(7)).
  const pass = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return { prefix: ['setpriv', ...ids, ...pass], owner };
}

function accountOf(name: string): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

function hasSetpriv(): boolean {
  try {
    execFileSync('setpriv', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
