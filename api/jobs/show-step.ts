import type { JobContext } from './handler.ts';

/** Writes that a step is in progress and how far it is, unless the job already shows it. */
export async function showStep(
  { job, step }: Pick<JobContext, 'job' | 'step'>,
  name: string,
  percent: number,
  message: string,
): Promise<void> {
  const running = job.steps.find((one) => one.name === name)?.status === 'RUNNING';
  if (running && job.progress.message === message) return;
  await step(name, 'RUNNING', { percent, message });
}
