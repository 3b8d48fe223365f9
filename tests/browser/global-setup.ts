import beginRun from '../harness/global-setup.ts';
import { requireChromium } from './require-chromium.ts';

/** Before the test files: a browser, then a run. */
export default async function setUpBrowser(): Promise<void> {
  process.env.CHROMIUM = requireChromium(process.env);
  await beginRun();
}
