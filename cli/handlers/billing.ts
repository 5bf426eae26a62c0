import type { Handler } from '../command.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, usageFailure, valueFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import { explained } from '../http/next-step.ts';
import type { Exchange } from '../http/exchange.ts';
import { readChoices, readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { printable } from '../output/printable.ts';
import { billingText, invoicesText, usageText } from '../output/billing.ts';

const path = '/api/v1/billing';
const subjects = ['database', 'day'] as const;

export const getBilling: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', path));
  printAnswer(context, input, received, ({ billing }) => billingText(billing));
  const { status } = received.document.billing;
  if (status !== 'READY') {
    context.output.note('a person sets the payment method up: ledgerhouse billing checkout');
  }
  return ExitCode.Ok;
};

export const updateBilling: Handler = async (context, input) => {
  const given = input.text('spend-limit');
  if (given === undefined) throw usageFailure('no change is given', 'give --spend-limit');
  const amount = given === 'none' ? null : amountOf(given);
  const { exchange } = await context.service();
  const spendLimit = amount === null ? null : { amount, currency: await currencyOf(exchange) };
  const request = contractRequest('patch', path, { body: { spendLimit } });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ billing }) => billingText(billing));
  return ExitCode.Ok;
};

export const listUsage: Handler = async (context, input) => {
  const month = input.text('month');
  if (month !== undefined && !/^20\d\d-(0[1-9]|1[0-2])$/.test(month)) {
    throw valueFailure(`--month "${month}" is not a month, such as 2026-11`);
  }
  const [by] = readChoices(input, 'by', subjects).by ?? [];
  const page = readLimit(input);
  const { exchange } = await context.service();
  const database = input.text('database');
  const databaseId = database === undefined ? undefined : await usedDatabase(exchange, database);
  const query = {
    ...page,
    ...(month !== undefined && { month }),
    ...(by !== undefined && { by }),
    ...(databaseId !== undefined && { databaseId }),
  };
  const received = await receive(exchange, contractRequest('get', `${path}/usage`, { query }));
  printAnswer(context, input, received, usageText);
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const listInvoices: Handler = async (context, input) => {
  const query = readLimit(input);
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', `${path}/invoices`, { query }));
  printAnswer(context, input, received, ({ data }) => invoicesText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

/** Prints the address alone on stdout. */
export const openCheckout: Handler = async (context, input) => {
  const request = contractRequest('post', `${path}/checkout`, { body: {} });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ checkoutUrl }) => `${printable(checkoutUrl)}\n`);
  context.output.note(`open it in a browser; it can be used until ${received.document.expiresAt}`);
  return ExitCode.Ok;
};

/** An amount with two decimals, as the API has them. */
function amountOf(given: string): string {
  const [, whole, cents = ''] = /^(\d{1,15})(?:\.(\d{1,2}))?$/.exec(given) ?? [];
  if (whole !== undefined) return `${whole}.${cents.padEnd(2, '0')}`;
  throw valueFailure(
    `--spend-limit "${given}" is not an amount, such as 500 or 499.90`,
    'to remove the limit: --spend-limit none',
  );
}

/** Members with the role billing see no databases, and so no names of them; their usage has the IDs. */
const usedDatabase = (exchange: Exchange, word: string): Promise<string> =>
  explained(
    databaseIdOf(exchange, word),
    'insufficient_scope',
    'give the ID of the database: ledgerhouse billing usage shows it',
  );

/** A service has one currency, and no setting of a limit can choose another. */
async function currencyOf(exchange: Exchange): Promise<string> {
  const { billing } = (await receive(exchange, contractRequest('get', path))).document;
  if (billing.currentPeriod !== null) return billing.currentPeriod.accrued.currency;
  throw new CliFailure({
    exitCode: ExitCode.Conflict,
    code: 'billing_not_used',
    title: 'The service does not bill',
    detail: 'this service bills nobody, so there is nothing to limit',
  });
}
