import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { TestEnvironment } from 'jest-environment-node';
import { compileCache } from './compile-cache.ts';

// For what tests import outside jest (import-once.ts), as when a service starts.
enableCompileCache(compileCache.NODE_COMPILE_CACHE);
setFlagsFromString('--liftoff-only');

/** Functions that a test file may define for its report. */
const describers = ['describeLastRequest', 'describeOpenPages'];

/** Environment of tests over processes: imports modules for them; one that fails prints its last request, and its open pages. */
export default class ProcessEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    this.global.importOutsideJest = (url: string) => import(url);
  }

  async handleTestEvent({ name }: { readonly name: string }): Promise<void> {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    for (const describer of describers) {
      const describe: unknown = Reflect.get(this.global, describer);
      if (typeof describe === 'function') process.stderr.write(`${await describe()}\n`);
    }
  }
}
