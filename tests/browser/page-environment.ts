import { TestEnvironment } from 'jest-environment-node';

/** Environment of browser tests: a test that fails says what its open pages show, as `describeOpenPages` tells it. */
export default class PageEnvironment extends TestEnvironment {
  async handleTestEvent({ name }: { readonly name: string }): Promise<void> {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    const describe: unknown = Reflect.get(this.global, 'describeOpenPages');
    if (typeof describe === 'function') process.stderr.write(`${await describe()}\n`);
  }
}
