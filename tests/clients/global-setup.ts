import beginRun from '../harness/global-setup.ts';
import { requirePython } from './require-python.ts';

/** Before the test files: a Python with the libraries, then a run. */
export default async function setUpClients(): Promise<void> {
  process.env.PYTHON = requirePython(process.env);
  await beginRun();
}
