/** Entry point of an API process, which answers requests. Several run at once. */
import { startApi } from './api.ts';
import { runProcess } from './process.ts';

await runProcess('the API', async (options) => {
  const api = await startApi(options);
  const { port, healthPort } = api;
  return { ...api, ports: { port, healthPort } };
});
