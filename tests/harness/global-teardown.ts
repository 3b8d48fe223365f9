import { endOfRun } from './global-setup.ts';

/** jest: after the last test file. */
export default async function globalTeardown(): Promise<void> {
  await endOfRun();
}
