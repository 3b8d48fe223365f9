import { findProgram, installPackages } from '../../deploy/local/process/install-packages.ts';

/**
 * Path of Chromium: CHROMIUM, or the first on the PATH; where there is none, it is installed.
 * @throws with one sentence when that fails
 */
export function requireChromium(environment: NodeJS.ProcessEnv): string {
  const found = findChromium(environment);
  if (found !== undefined) return found;
  const error = installPackages({
    'apt-get': ['chromium', 'fonts-dejavu-core'],
    dnf: ['chromium'],
    apk: ['chromium', 'font-dejavu'],
    pacman: ['chromium'],
    zypper: ['chromium'],
  });
  const installed = findChromium(environment);
  if (installed !== undefined) return installed;
  const why = error ?? 'the package brought none';
  throw new Error(`The browser tests need Chromium, and ${why}: install it by hand, or name it in CHROMIUM.`);
}

function findChromium(environment: NodeJS.ProcessEnv): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
  return findProgram(environment.CHROMIUM, names, environment);
}
