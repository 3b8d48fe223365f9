import { TestEnvironment } from 'jest-environment-node';

/** Functions that a test file may define for its report. */
const describers = ['describeLastRequest', 'describeOpenPages'];

/** Environment of tests over processes: one that fails prints its last request, and its open pages. */
export default class ProcessEnvironment extends TestEnvironment {
  async handleTestEvent({ name }: { readonly name: string }): Promise<void> {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    for (const describer of describers) {
      const describe: unknown = Reflect.get(this.global, describer);
      if (typeof describe === 'function') process.stderr.write(`${await describe()}\n`);
    }
  }
}
