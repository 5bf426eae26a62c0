/** Asks the engines of one database for their status: each at its pod's own address, with a short timeout, all at once. */
import type { StatusFetch } from '../../domain/fetch-status.ts';
import { parseEngineStatus } from '../../domain/parse-engine-status.ts';
import { ports } from '../../domain/names.ts';
import type { Pod } from '../../domain/kinds.ts';
import type { Environment } from './environment.ts';
import { indexOf, type Polls } from './observation.ts';

const timeoutMs = 2_000;
/** Engines that are silent are asked so many times more, with a pause before each: six seconds at most for one plan. */
const askedAgain = 2;
const pauseMs = 1_000;

export async function pollEngines(
  workload: string,
  pods: readonly Pod[],
  get: StatusFetch,
): Promise<Polls> {
  const polls = new Map<number, ReturnType<typeof parseEngineStatus>>();
  await Promise.all(
    pods.map(async (pod) => {
      const index = Number(pod.metadata.name?.slice(workload.length + 1));
      const ip = pod.status?.podIP;
      if (ip === undefined || Number.isNaN(index)) return;
      const host = ip.includes(':') ? `[${ip}]` : ip;
      try {
        const url = `http://${host}:${ports.status}/status`;
        polls.set(index, parseEngineStatus(await get(url, AbortSignal.timeout(timeoutMs))));
      } catch (error) {
        polls.set(index, { problem: error instanceof Error ? error.message : String(error) });
      }
    }),
  );
  return polls;
}

/** Asks those again that gave no answer, until all have answered or they have been asked often enough. Returns all answers. */
export async function askSilentAgain(
  workload: string,
  pods: readonly Pod[],
  before: Polls,
  { fetchStatus, pause }: Pick<Environment, 'fetchStatus' | 'pause'>,
): Promise<Polls> {
  let polls = before;
  for (let times = 0; times < askedAgain; times += 1) {
    const said = polls;
    const silent = pods.filter((pod) => 'problem' in (said.get(indexOf(pod)) ?? { problem: '' }));
    if (silent.length === 0) break;
    await pause(pauseMs);
    polls = new Map([...said, ...(await pollEngines(workload, silent, fetchStatus))]);
  }
  return polls;
}
