// Node keeps the compiled sources of the programs that suites start by the hundred, which is half of what a start costs.
// oxlint-disable-next-line node/no-process-env -- what Jest starts has its environment
process.env['NODE_COMPILE_CACHE'] ??= `${import.meta.dirname}/node_modules/.cache/programs`;

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
  testSequencer: './tools/test/sequencer.js',
};
