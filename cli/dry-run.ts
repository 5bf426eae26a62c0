import type { Context } from './context.ts';
import { describeRequest, type ApiRequest } from './http/request.ts';
import type { Input } from './input.ts';

/** Tells whether `--dry-run` was given. If so, the request was printed and must not be sent. */
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
