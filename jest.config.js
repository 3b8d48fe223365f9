const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  // Each has a second package.json with the name of the first.
  modulePathIgnorePatterns: ['<rootDir>/packages/[^/]+/dist'],
  transform: { '^.+\\.ts$': '<rootDir>/tests/strip-types.js' },
};

/** Test files of a folder under tests/, over real processes. `setup` holds its global-setup.ts. */
const platform = (displayName, setup = 'harness') => ({
  ...shared,
  displayName,
  testEnvironment: '<rootDir>/tests/harness/process-environment.ts',
  testMatch: [`<rootDir>/tests/${displayName}/**/*.test.ts`],
  globalSetup: `<rootDir>/tests/${setup}/global-setup.ts`,
  globalTeardown: '<rootDir>/tests/harness/global-teardown.ts',
});

/** Files with time limits of production. */
const measured = { setupFiles: ['<rootDir>/tests/resilience/measure-machine.ts'] };

export default {
  // Tests over real processes wait for them; jest knows this limit for all projects together only.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/tests/sequencer.js',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{gateway,identity-service,business-service,webhook-service,canary,dashboard,docs-site,protos,service-kit,deploy,docs,examples,packages}/**/*.test.ts',
      ],
    },
    platform('platform', 'platform'),
    platform('system'),
    { ...platform('resilience'), ...measured, testMatch: ['<rootDir>/tests/resilience/*.test.ts'] },
    { ...platform('strict'), ...measured, testMatch: ['<rootDir>/tests/resilience/strict/*.test.ts'] },
    platform('operations'),
    platform('browser', 'browser'),
    platform('installation', 'browser'),
    platform('clients', 'clients'),
    platform('releases'),
  ],
};
