import type { ChangeStream, UpdateChangeStreamRequest } from '../../gen/api.ts';
import { changedSink, changesSink, newSink } from '../change-stream-sink.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, execute, receive, type Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { printAnswer } from '../output/answer.ts';
import { streamsText, streamText } from '../output/change-stream.ts';
import { rotationNote, rotationOf } from '../secret-rotation.ts';

const all = '/api/v1/databases/{databaseId}/change-streams';
const one = '/api/v1/databases/{databaseId}/change-streams/{streamId}';

export const listStreams: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const request = contractRequest('get', all, { params: { databaseId } });
  printAnswer(context, input, await receive(exchange, request), ({ data }) => streamsText(data));
  return ExitCode.Ok;
};

export const getStream: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('get', one, { params: await paramsOf(context, input) });
  printStream(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const createStream: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const [after, description] = [input.text('after'), input.text('description')];
  const sink = await newSink(input.argument(1), input);
  const request = contractRequest('post', all, {
    params: { databaseId: await databaseIdOf(exchange, input.argument(0)) },
    body: {
      sink,
      ...(after !== undefined && { after }),
      ...(description !== undefined && { description }),
    },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ secret }) => (secret === null ? '' : `${secret}\n`));
  const { changeStream, secret } = received.document;
  const signed = secret === null ? '' : '; requests are signed with the secret';
  context.output.note(`${changeStream.id}${signed}`);
  return ExitCode.Ok;
};

export const pauseStream: Handler = (context, input) => change(context, input, { state: 'PAUSED' });
export const resumeStream: Handler = (context, input) =>
  change(context, input, { state: 'RUNNING' });

export const updateStream: Handler = async (context, input) => {
  const description = input.text('description');
  if (!changesSink(input) && description === undefined) {
    throw usageFailure('no change is given', 'see --help for what can be changed');
  }
  return change(context, input, {
    ...(changesSink(input) && { sink: await sinkAfter(context, input) }),
    ...(description !== undefined && { description }),
  });
};

/** A request replaces the whole sink, so its present fields are read first. */
async function sinkAfter(context: Context, input: Input) {
  const { exchange } = await context.service();
  const request = contractRequest('get', one, { params: await paramsOf(context, input) });
  const { document } = await receive(exchange, request);
  return changedSink(document.changeStream.sink, input);
}

async function change(context: Context, input: Input, body: UpdateChangeStreamRequest) {
  const { exchange } = await context.service();
  const request = contractRequest('patch', one, { params: await paramsOf(context, input), body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printStream(context, input, await receive(exchange, request));
  return ExitCode.Ok;
}

export const deleteStream: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const params = await paramsOf(context, input);
  const request = contractRequest('delete', one, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  await execute(exchange, request);
  context.output.note(`${params.streamId} is deleted; its place is forgotten`);
  return ExitCode.Ok;
};

export const showStreamSecret: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const params = await paramsOf(context, input);
  const request = contractRequest('get', `${one}/secret`, { params });
  printAnswer(context, input, await receive(exchange, request), ({ secret }) => `${secret}\n`);
  return ExitCode.Ok;
};

export const rotateStreamSecret: Handler = async (context, input) => {
  const body = rotationOf(input);
  const { exchange } = await context.service();
  const params = await paramsOf(context, input);
  const request = contractRequest('post', `${one}/secret/rotate`, { params, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ secret }) => `${secret}\n`);
  context.output.note(rotationNote(received.document.changeStream.previousSecretUntil));
  return ExitCode.Ok;
};

async function paramsOf({ service }: Context, input: Input) {
  const { exchange } = await service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  return { databaseId, streamId: input.argument(1) };
}

const printStream = (
  context: Context,
  input: Input,
  received: Received<{ readonly changeStream: ChangeStream }>,
): void => printAnswer(context, input, received, ({ changeStream }) => streamText(changeStream));
