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

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{gateway,identity-service,business-service,protos,service-kit,deploy}/**/*.test.ts',
      ],
    },
    {
      ...shared,
      displayName: 'system',
      testMatch: ['<rootDir>/tests/system/**/*.test.ts'],
    },
  ],
};
