/** The official Python and Java clients, by a scenario each; skipped with a reason where their toolchain is missing. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestEngine } from '../support/engine/engine.ts';
import { checkout, mustRun, shell } from '../support/shell.ts';

jest.setTimeout(900_000);
const pythonVersion = '0.17.9';
/** The newest on Maven Central: an old client, which is served too. */
const javaVersion = '0.16.30';
const clients = join(checkout, 'test/conformance/clients');
let folder = '';
let engine: TestEngine | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-clients-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  engine = await TestEngine.create();
});
afterEach(async () => engine?.dispose());

/** `test`, or a skip that says what is missing. */
async function testWith(...tools: readonly string[]): Promise<typeof test | typeof test.skip> {
  for (const tool of tools) {
    if ((await shell('sh', ['-c', `command -v ${tool}`])).code === 0) continue;
    process.stderr.write(
      `skipped: ${tools.join(' and ')} needed, ${tool} is not on this machine\n`,
    );
    return test.skip;
  }
  return test;
}
const [python, java] = [await testWith('python3'), await testWith('javac', 'mvn')];
const address = () => `127.0.0.1:${engine?.port}`;

python('the Python client', async () => {
  const venv = join(folder, 'venv');
  await mustRun('python3', ['-m', 'venv', venv]);
  await mustRun(`${venv}/bin/pip`, [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    `tigerbeetle==${pythonVersion}`,
  ]);
  const said = await mustRun(`${venv}/bin/python`, [`${clients}/scenario.py`, address()]);
  expect(said.trim()).toBe('ok');
});

java('the Java client, of release 0.16', async () => {
  const artifact = `com.tigerbeetle:tigerbeetle-java:${javaVersion}`;
  await mustRun(
    'mvn',
    ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`],
    {
      timeoutMs: 600_000,
    },
  );
  const jar = join(folder, `tigerbeetle-java-${javaVersion}.jar`);
  await mustRun('javac', ['-cp', jar, '-d', folder, `${clients}/Scenario.java`]);
  const said = await mustRun('java', ['-cp', `${jar}:${folder}`, 'Scenario', address()]);
  expect(said.trim()).toBe('ok');
});
