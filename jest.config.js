/** Unit tests stand beside the code; the suites under test/ are run by `tools/test/ladder.ts`. */
export default {
  testEnvironment: 'node',
  rootDir: import.meta.dirname,
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testMatch: ['**/*.test.ts'],
  // A machine that others use too may take ten times as long: what hangs is told from what waits by minutes, not seconds.
  testTimeout: 600_000,
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/.ledgerhouse/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.ledgerhouse/'],
  cacheDirectory: 'node_modules/.cache/jest',
};
