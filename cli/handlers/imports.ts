import type { Handler } from '../command.ts';
import { confirmByName, requireConfirmable } from '../confirm.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { contractRequest, execute, receive } from '../http/contract.ts';
import { readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { importsText, importText } from '../output/import.ts';

const one = '/api/v1/imports/{importId}';

export const listImports: Handler = async (context, input) => {
  const query = readLimit(input);
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', '/api/v1/imports', { query }));
  printAnswer(context, input, received, ({ data }) => importsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const showImport: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const params = { importId: input.argument(0) };
  const received = await receive(exchange, contractRequest('get', one, { params }));
  printAnswer(context, input, received, (document) => importText(document.import));
  return ExitCode.Ok;
};

export const deleteImport: Handler = async (context, input) => {
  const what = { kind: 'ID', thing: 'import' };
  if (!input.has('dry-run')) requireConfirmable(input, what);
  const params = { importId: input.argument(0) };
  const request = contractRequest('delete', one, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  await confirmByName(input, params.importId, what);
  const { exchange } = await context.service();
  await execute(exchange, request);
  context.output.note(`${params.importId} is deleted; its files are removed within minutes`);
  return ExitCode.Ok;
};
