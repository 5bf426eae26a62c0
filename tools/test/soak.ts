/**
 * `make soak MINUTES=60`: long runs with faults, one after another with new seeds, until the time is over. Each is the long form
 * of a suite that the ladder runs briefly: chaos with three and six replicas, kills under load, the simulated log; and one engine
 * under adversarial clients, which must stay within its pod's memory. At the first difference it ends and prints the command that repeats it.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

interface Round {
  readonly title: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const jest = (path: string) => ['node_modules/.bin/jest', '--runInBand', path];

const rounds = (seed: number, minutes: number): readonly Round[] => [
  {
    title: 'three replicas under faults',
    command: ['test/chaos/main.ts', `--seed=${seed}`, `--minutes=${minutes}`, '--replicas=3'],
    env: {},
  },
  {
    title: 'adversarial clients',
    command: ['test/soak/main.ts', `--seed=${seed}`, `--minutes=${minutes}`],
    env: {},
  },
  {
    title: 'kills under load',
    command: jest('test/crash/kill-under-load'),
    env: { CRASH_ROUNDS: '40' },
  },
  {
    title: 'the simulated log',
    command: jest('engine/log/replicated/replicated-log'),
    env: { LOG_SEED: String(seed), LOG_SEEDS: '2000' },
  },
  {
    title: 'six replicas under faults',
    command: ['test/chaos/main.ts', `--seed=${seed}`, `--minutes=${minutes}`, '--replicas=6'],
    env: {},
  },
];

function main(): number {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '' } } });
  const minutes = Number(values.minutes === '' ? '60' : values.minutes);
  if (!(minutes > 0)) {
    console.error('usage: make soak MINUTES=number');
    return 2;
  }
  const endsAt = Date.now() + minutes * 60_000;
  while (Date.now() < endsAt) {
    const seed = randomInt(2 ** 31);
    for (const { title, command, env } of rounds(seed, Math.min(10, minutes))) {
      const leftMs = endsAt - Date.now();
      if (leftMs <= 0) break;
      console.log(`\n== ${title}, seed ${seed}, ${Math.ceil(leftMs / 60_000)} minutes left`);
      const { status } = spawnSync(
        process.execPath,
        ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', ...command],
        { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } },
      );
      if (status === 0) continue;
      const set = Object.entries(env).map(([name, value]) => `${name}=${value} `);
      console.error(
        `a difference was found; to repeat it: ${set.join('')}node ${command.join(' ')}`,
      );
      return 1;
    }
  }
  console.log(`\n${minutes} minutes of faults: no difference`);
  return 0;
}

process.exitCode = main();
