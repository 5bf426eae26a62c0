/** What the ledger says of each created event: TigerBeetle's names, and where its documentation explains them. */
import { AccountStatus, TransferStatus } from '../../engine/ledger/status.ts';

const documentation = 'https://docs.tigerbeetle.com/reference/requests';

/** On the wire; the tables have -1. */
const created = 0xffff_ffff;

export const operationDocumentation = (operation: string): string =>
  `${documentation}/${operation}`;

export type StatusClass = 'created' | 'exists' | 'failed';

export interface Status {
  readonly name: string;
  readonly class: StatusClass;
  /** For those that failed. */
  readonly documentationUrl: string | undefined;
}

const tables: Readonly<Record<string, ReadonlyMap<number, Status>>> = {
  create_accounts: tableOf('create_accounts', AccountStatus),
  create_transfers: tableOf('create_transfers', TransferStatus),
};

export function statusOf(operation: string, code: number): Status {
  const known = tables[operation]?.get(code);
  // An engine newer than this may know more: what it did is done, and its number says more than a failure would.
  return known ?? statusNamed(operation, `status_${code}`);
}

export const statusNames = (operation: string): readonly string[] =>
  [...(tables[operation]?.values() ?? [])].map((status) => status.name);

function tableOf(
  operation: string,
  codes: Readonly<Record<string, number>>,
): ReadonlyMap<number, Status> {
  return new Map(
    Object.entries(codes).map(([name, code]) => [
      code < 0 ? created : code,
      statusNamed(operation, name),
    ]),
  );
}

function statusNamed(operation: string, name: string): Status {
  if (name === 'created' || name === 'exists') {
    return { name, class: name, documentationUrl: undefined };
  }
  return {
    name,
    class: 'failed',
    documentationUrl: `${operationDocumentation(operation)}#${name}`,
  };
}
