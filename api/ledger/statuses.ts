/** Statuses of created events: TigerBeetle's names, and the URLs of their documentation. */
import { AccountStatus, TransferStatus } from '../../engine/wire/statuses.ts';

const documentation = 'https://docs.tigerbeetle.com/reference/requests';

/** The value on the wire; the tables use -1. */
const created = 0xffff_ffff;

export const operationDocumentation = (operation: string): string =>
  `${documentation}/${operation}`;

export type StatusClass = 'created' | 'exists' | 'failed';

export interface Status {
  readonly name: string;
  readonly class: StatusClass;
  /** Set for failures only. */
  readonly documentationUrl: string | undefined;
}

const tables: Readonly<Record<string, ReadonlyMap<number, Status>>> = {
  create_accounts: tableOf('create_accounts', AccountStatus),
  create_transfers: tableOf('create_transfers', TransferStatus),
};

export function statusOf(operation: string, code: number): Status {
  const known = tables[operation]?.get(code);
  // A newer engine may have further statuses. The event was processed, so the status number is better than an error.
  return known ?? statusNamed(operation, `status_${code}`);
}

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
