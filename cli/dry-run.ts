import type { Context } from './context.ts';
import { describeRequest, type ApiRequest } from './http/request.ts';
import type { Input } from './input.ts';

/** Whether `--dry-run` was given; then the request has been printed, and is not to be sent. */
export async function isDryRun(
  { output, version, service }: Context,
  input: Input,
  request: ApiRequest,
): Promise<boolean> {
  if (!input.has('dry-run')) return false;
  const { settings } = await service();
  output.result(describeRequest(request, settings, { version, json: input.has('json') }));
  return true;
}
