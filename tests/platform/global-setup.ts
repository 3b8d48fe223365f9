import beginRun from '../harness/global-setup.ts';
import { startRunPlatform } from '../harness/shared-platform.ts';

/** Before the test files: a run with one platform for all of them. */
export default async function setUpPlatform(): Promise<void> {
  await beginRun();
  await startRunPlatform();
}
