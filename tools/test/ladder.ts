/**
 * Runs the ladder of tests: `node tools/test/ladder.ts [STAGE …]`, all stages by default. Prints the time of each part and the
 * failures with their logs. The last line is `N passed, N failed` (`, N skipped` if there are some).
 */
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, cpus } from 'node:os';
import { clusterNotes } from './left-clusters.ts';
import { stages, type Stage } from './stages.ts';
import {
  closingLine,
  failuresOf,
  slowest,
  summarize,
  timedTests,
  type JestExit,
  type JestReport,
  type StageResult,
  type TimedTest,
} from './summary.ts';

const logFolder = '.ledgerhouse/test';
/** Time for Jest to exit after its report, while workers end and sockets close. */
const exitMs = 60_000;
/** Functions that each kill a run of Jest and all its processes. */
const running = new Set<() => void>();
/** The signal that ended the ladder early. */
let interruption: NodeJS.Signals | undefined;

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    console.error(`no stage ${unknown.join(', ')}; stages: ${stages.map((s) => s.name).join(' ')}`);
    return 2;
  }
  mkdirSync(logFolder, { recursive: true });
  const results: (StageResult & { readonly stage: string })[] = [];
  const times: string[] = [];
  const tests: TimedTest[] = [];
  const climb = async (stage: Stage) => {
    const started = Date.now();
    console.log(`\n== ${stage.name}: ${stage.title}`);
    const { result, timed } = await runStage(stage);
    tests.push(...timed);
    const seconds = Math.round((Date.now() - started) / 1000);
    const counts = `${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`;
    times.push(`${stage.name.padEnd(14)}${String(seconds).padStart(5)} s   ${counts}`);
    for (const { name } of result.failures) console.log(`   FAILED ${stage.name} ${name}`);
    if (result.failed > 0) console.log(`   the log: ${logOf(stage)}`);
    results.push({ ...result, stage: stage.name });
  };
  const chosen = stages.filter(
    ({ name, folder }) =>
      (names.length === 0 || names.includes(name)) &&
      // A stage without suites is left out.
      (folder === undefined || globSync(`${folder}/**/*.test.ts`).length > 0),
  );
  const inOrder = async (lane: readonly Stage[]) => {
    for (const stage of lane) if (interruption === undefined) await climb(stage);
  };
  const processors = watchProcessors();
  const lanes = Map.groupBy(chosen, ({ lane }) => lane);
  await Promise.all([...lanes.values()].map(inOrder));
  console.log(`\nthe slowest tests\n${slowest(tests, 20).join('\n')}`);
  console.log(`\nwhere time went\n${times.join('\n')}\n${processors()}\n`);
  takeDownLeftClusters();
  for (const line of failuresOf(results)) console.log(line);
  console.log(closingLine(results));
  if (interruption !== undefined) return 128 + constants.signals[interruption];
  return results.some((r) => r.failed > 0) || results.length === 0 ? 1 : 0;
}

/** Returns what says how busy the machine's processors have been since: near 100 %, only less work makes the ladder faster. */
function watchProcessors(): () => string {
  const began = Date.now();
  const sum = () => {
    const times = cpus().map((processor) => processor.times);
    const idle = times.reduce((total, one) => total + one.idle, 0);
    const all = times.flatMap((one) => Object.values(one)).reduce((total, ms) => total + ms, 0);
    return { idle, all };
  };
  const before = sum();
  return () => {
    const [now, seconds] = [sum(), Math.round((Date.now() - began) / 1000)];
    const busy = 1 - (now.idle - before.idle) / Math.max(1, now.all - before.all);
    return `all           ${String(seconds).padStart(5)} s   processors ${Math.round(100 * busy)} % busy`;
  };
}

const logOf = (stage: Stage) => `${logFolder}/${stage.name}.log`;

async function runStage(
  stage: Stage,
): Promise<{ readonly result: StageResult; readonly timed: readonly TimedTest[] }> {
  const reportFile = `${logFolder}/${stage.name}.json`;
  rmSync(reportFile, { force: true });
  await buildPrograms(stage);
  const where = stage.folder ?? 'unit';
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${reportFile}`,
    `--maxWorkers=${stage.workers}`,
    '--verbose',
    ...(stage.folder === undefined
      ? [
          '--testPathIgnorePatterns',
          `/(${stages.flatMap(({ folder }) => folder ?? []).join('|')})/`,
        ]
      : [`--testPathPatterns=${where}/`]),
  ];
  const exit = await runToEnd(stage, args, reportFile);
  const report = existsSync(reportFile)
    ? (JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport)
    : undefined;
  return { result: summarize(report, exit), timed: timedTests(report) };
}

/** Builds what the stage needs unless it is there. A test that needs what could not be built says why. */
function buildPrograms({ programs = [] }: Stage): Promise<void> {
  if (programs.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['tools/cluster/main.ts', 'build', ...programs], {
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const kill = () => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
    running.add(kill);
    child.on('close', () => {
      running.delete(kill);
      resolve();
    });
  });
}

/** Runs Jest. Its output for people (stderr) is shown and logged. */
function runToEnd(stage: Stage, args: readonly string[], reportFile: string): Promise<JestExit> {
  return new Promise((resolve) => {
    const log = createWriteStream(logOf(stage));
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    // Kill the whole process group: Jest's workers and the processes that they started.
    const kill = () => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
    running.add(kill);
    let timedOut = false;
    const deadline = setTimeout(() => {
      timedOut = true;
      kill();
    }, stage.deadlineMinutes * 60_000);
    let leftOpen = false;
    let reportedAt = 0;
    const watch = setInterval(() => {
      if (!existsSync(reportFile)) return;
      reportedAt ||= Date.now();
      if (Date.now() - reportedAt < exitMs) return;
      leftOpen = true;
      kill();
    }, 1000);
    child.stderr.on('data', (chunk: Buffer) => {
      log.write(chunk);
      process.stderr.write(chunk);
    });
    child.on('close', (code) => {
      clearTimeout(deadline);
      clearInterval(watch);
      running.delete(kill);
      log.end(() => resolve({ code, timedOut, leftOpen }));
    });
  });
}

/** Takes down the clusters of tests that were killed; clusters outlive the processes that started them. */
function takeDownLeftClusters(): void {
  for (const stateFolder of clusterNotes.left()) {
    console.error(`taking down a test's cluster: ${stateFolder}`);
    const env = { ...process.env, LEDGERHOUSE_STATE_DIR: stateFolder };
    const { status } = spawnSync('make', ['--no-print-directory', 'down', 'DATA=1'], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 5 * 60_000,
    });
    if (status !== 0) continue;
    rmSync(stateFolder, { recursive: true, force: true });
    clusterNotes.remove(stateFolder);
  }
}

// Ctrl-C in a terminal reaches only this process, because each Jest run has its own process group. A second one ends it at once.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    interruption = signal;
    console.error(`\n${signal}: ending the running programs`);
    for (const kill of running) kill();
  });
}
process.exitCode = await main(process.argv.slice(2));
