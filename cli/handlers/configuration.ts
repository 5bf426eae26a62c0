import type { Handler } from '../command.ts';
import { databaseIdOf } from '../database-id.ts';
import { ExitCode } from '../exit-code.ts';
import { contractRequest, receive } from '../http/contract.ts';
import { readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { configurationText, parametersText, revisionsText } from '../output/configuration.ts';

const one = '/api/v1/databases/{databaseId}';

export const showConfiguration: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const params = { databaseId: await databaseIdOf(exchange, input.argument(0)) };
  const request = contractRequest('get', `${one}/configuration`, { params });
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ configuration }) => configurationText(configuration));
  return ExitCode.Ok;
};

export const listParameters: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const params = { databaseId: await databaseIdOf(exchange, input.argument(0)) };
  const received = await receive(exchange, contractRequest('get', `${one}/parameters`, { params }));
  printAnswer(context, input, received, ({ data }) => parametersText(data));
  return ExitCode.Ok;
};

export const listRevisions: Handler = async (context, input) => {
  const query = readLimit(input);
  const { exchange } = await context.service();
  const params = { databaseId: await databaseIdOf(exchange, input.argument(0)) };
  const request = contractRequest('get', `${one}/profiles`, { params, query });
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ data }) => revisionsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};
