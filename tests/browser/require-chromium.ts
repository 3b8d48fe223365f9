import { findProgram, installPackages } from '../../deploy/local/process/install-packages.ts';

/** The shell has no windows, menus and tabs of its own: a fifth less CPU than the whole browser without a window. */
const programs = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];
/** Tried in this order: only Debian has the shell. */
const packages = [
  { 'apt-get': ['chromium-headless-shell', 'fonts-dejavu-core'] },
  {
    'apt-get': ['chromium', 'fonts-dejavu-core'],
    dnf: ['chromium'],
    apk: ['chromium', 'font-dejavu'],
    pacman: ['chromium'],
    zypper: ['chromium'],
  },
];

/**
 * Path of Chromium: CHROMIUM, or the first on the PATH; where there is none, it is installed.
 * @throws with one sentence when that fails
 */
export function requireChromium(environment: NodeJS.ProcessEnv): string {
  let error: string | undefined;
  for (const each of [undefined, ...packages]) {
    if (each !== undefined) error = installPackages(each);
    const found = findProgram(environment.CHROMIUM, programs, environment);
    if (found !== undefined) return found;
  }
  const why = error ?? 'the package brought none';
  throw new Error(`The browser tests need Chromium, and ${why}: install it by hand, or name it in CHROMIUM.`);
}
