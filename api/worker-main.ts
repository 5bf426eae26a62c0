/** Entry point of a worker process, which does the API's work in the background. Several run at once and share the work. */
import { runProcess } from './process.ts';
import { startWorker } from './worker.ts';

await runProcess('the worker', async (options) => {
  const worker = await startWorker(options);
  const { healthPort } = worker;
  return { ...worker, ports: { healthPort } };
});
