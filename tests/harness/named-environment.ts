import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { TestEnvironment } from 'jest-environment-node';
import { namedTests } from '../named-tests.ts';

/** Environment of tests that docs/promises.md names: the others of their file, which hold details of an endpoint, are skipped. */
export default class NamedEnvironment extends TestEnvironment {
  readonly #pattern: RegExp;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    const named = namedTests.filter(({ file }) => context.testPath.endsWith(`/${file}`));
    this.#pattern = new RegExp(named.map(({ pattern }) => pattern).join('|'), 'i');
  }

  async handleTestEvent({ name }: { readonly name: string }, state: CircusState): Promise<void> {
    if (name === 'run_start') state.testNamePattern ??= this.#pattern;
  }
}

interface CircusState {
  testNamePattern?: RegExp | null;
}
