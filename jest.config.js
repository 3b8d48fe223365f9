const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
};

/** System tests that measure time, or hurt what they stand on: nothing else may run beside them. */
const timed =
  '/tests/system/((promise(?!-(identity|secrets))|edge(?!-(smuggling|exchange|http2|long-lived|tls))|local-start|harness)\\b.*|.*-(failover|lifecycle|loss|propagation|shutdown|throttles?))\\.test\\.ts$';

const system = {
  ...shared,
  globalSetup: '<rootDir>/tests/harness/global-setup.ts',
  globalTeardown: '<rootDir>/tests/harness/global-teardown.ts',
};

export default {
  // System tests wait for real processes; jest knows this limit for all projects together only.
  testTimeout: 120_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{gateway,identity-service,business-service,dashboard,protos,service-kit,deploy,docs}/**/*.test.ts',
      ],
    },
    {
      ...system,
      displayName: 'system',
      testMatch: ['<rootDir>/tests/system/**/*.test.ts'],
      testPathIgnorePatterns: [timed],
    },
    { ...system, displayName: 'timed', testRegex: timed },
    {
      ...shared,
      displayName: 'clients',
      testMatch: ['<rootDir>/tests/clients/**/*.test.ts'],
      globalSetup: '<rootDir>/tests/clients/global-setup.ts',
      globalTeardown: '<rootDir>/tests/harness/global-teardown.ts',
    },
    {
      ...shared,
      displayName: 'browser',
      testMatch: ['<rootDir>/tests/browser/**/*.test.ts'],
      globalSetup: '<rootDir>/tests/browser/global-setup.ts',
      globalTeardown: '<rootDir>/tests/harness/global-teardown.ts',
    },
  ],
};
