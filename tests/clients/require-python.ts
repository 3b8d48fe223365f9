import { spawnSync } from 'node:child_process';
import { findProgram, installPackages } from '../../deploy/local/process/install-packages.ts';

/** Debian's own Python: its packages are found by no other, so it comes before the first on the PATH. */
const debianPython = '/usr/bin/python3';

const distributed = [
  ...['python3', 'python3-authlib', 'python3-requests-oauthlib'],
  ...['python3-fastapi', 'python3-uvicorn', 'python3-django'],
];

/**
 * A Python that has the libraries: PYTHON, Debian's, or the first on the PATH; where none has, they are installed.
 * @throws with one sentence when that fails
 */
export function requirePython(environment: NodeJS.ProcessEnv): string {
  const found = findPython(environment);
  if (found !== undefined) return found;
  const error = installPackages({
    'apt-get': distributed,
    dnf: distributed,
  });
  const installed = findPython(environment);
  if (installed !== undefined) return installed;
  const why = error ?? 'the packages brought none';
  throw new Error(
    `No Python with Authlib, requests-oauthlib, FastAPI, Uvicorn and Django is here, and ${why}: install them by hand, and name their Python in PYTHON.`,
  );
}

function findPython(environment: NodeJS.ProcessEnv): string | undefined {
  const onPath = findProgram(undefined, ['python3'], environment);
  const candidates = environment.PYTHON ? [environment.PYTHON] : [debianPython, onPath];
  return candidates.find((python) => python !== undefined && hasLibraries(python));
}

function hasLibraries(python: string): boolean {
  const script = 'import authlib.integrations.requests_client, requests_oauthlib, fastapi, uvicorn, django';
  return spawnSync(python, ['-c', script], { stdio: 'ignore' }).status === 0;
}
