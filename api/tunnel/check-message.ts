/**
 * Decides about one message that a client sends through a tunnel. Only messages that clients of the protocol send may pass: on
 * the same port, TigerBeetle's replicas accept each other's messages.
 */
import {
  Command,
  EvictionReason,
  pingClientIsWellFormed,
  RequestHeader,
} from '../../engine/wire/header.ts';
import { missedByStreams, type Engine } from '../gateway/unsafe-request.ts';
import {
  createdTransfers,
  endsByImportedPost,
  importedIn,
  importedPostIn,
} from '../../engine/wire/imported-post.ts';
import type { Message } from '../../engine/wire/message-reader.ts';
import { Operation, shapeOf } from '../../engine/wire/operations.ts';
import type { TunnelNote } from '../client/tunnel.ts';

/** Rights of a credential over one ledger. */
export interface LedgerRights {
  readonly reads: boolean;
  readonly writes: boolean;
}

export type Verdict =
  | { readonly kind: 'pass'; readonly operation: TunnelOperation | undefined }
  /** The protocol ignores such a message, too. */
  | { readonly kind: 'ignore' }
  /** The client gets an eviction, the only message by which the protocol ends a client. */
  | {
      readonly kind: 'refuse';
      readonly operation: TunnelOperation;
      readonly reason: EvictionReason;
      readonly note: TunnelNote;
    }
  | { readonly kind: 'end'; readonly note: TunnelNote };

const names = {
  [Operation.register]: 'register',
  [Operation.createAccountsUnbatched]: 'create_accounts',
  [Operation.createTransfersUnbatched]: 'create_transfers',
  [Operation.lookupAccountsUnbatched]: 'lookup_accounts',
  [Operation.lookupTransfersUnbatched]: 'lookup_transfers',
  [Operation.getAccountTransfersUnbatched]: 'get_account_transfers',
  [Operation.getAccountBalancesUnbatched]: 'get_account_balances',
  [Operation.queryAccountsUnbatched]: 'query_accounts',
  [Operation.queryTransfersUnbatched]: 'query_transfers',
  [Operation.getChangeEvents]: 'get_change_events',
  [Operation.createAccountsSparse]: 'create_accounts',
  [Operation.createTransfersSparse]: 'create_transfers',
  [Operation.lookupAccounts]: 'lookup_accounts',
  [Operation.lookupTransfers]: 'lookup_transfers',
  [Operation.getAccountTransfers]: 'get_account_transfers',
  [Operation.getAccountBalances]: 'get_account_balances',
  [Operation.queryAccounts]: 'query_accounts',
  [Operation.queryTransfers]: 'query_transfers',
  [Operation.createAccounts]: 'create_accounts',
  [Operation.createTransfers]: 'create_transfers',
} as const satisfies Record<number, string>;
/** `other`: an operation that clients of the protocol do not send. */
export type TunnelOperation = (typeof names)[keyof typeof names] | 'other';

export const tunnelOperations: readonly TunnelOperation[] = [
  ...new Set(Object.values(names)),
  'other',
];

const nameOf = (operation: number): TunnelOperation =>
  (names as Readonly<Record<number, TunnelOperation>>)[operation] ?? 'other';

export function checkMessage(
  { header, body }: Message,
  rights: LedgerRights,
  engine: Engine,
): Verdict {
  switch (header.command) {
    case Command.pingClient:
      return pingClientIsWellFormed(header)
        ? { kind: 'pass', operation: undefined }
        : { kind: 'ignore' };
    case Command.request: {
      const request = new RequestHeader(header);
      // A timestamp belongs to recovery from a log, which no client does.
      if (!request.isWellFormed() || request.timestamp !== 0n) return { kind: 'ignore' };
      return checkRequest(request.operation, body, rights, engine);
    }
    default:
      return {
        kind: 'end',
        note: {
          code: 'not_the_protocol',
          detail: `A client sends requests and pings only; this was a message of kind ${header.command}.`,
        },
      };
  }
}

function checkRequest(
  code: number,
  body: Uint8Array,
  rights: LedgerRights,
  engine: Engine,
): Verdict {
  const operation = nameOf(code);
  if (code === Operation.register) return { kind: 'pass', operation };
  const shape = shapeOf(code);
  if (shape === undefined) {
    return {
      kind: 'refuse',
      operation,
      reason: EvictionReason.invalidRequestOperation,
      note: {
        code: 'unsupported_operation',
        detail: `Operation ${code} is not one of the ledger's. Nothing was executed.`,
      },
    };
  }
  if (shape.write ? !rights.writes : !rights.reads) {
    return {
      kind: 'refuse',
      operation,
      reason: EvictionReason.invalidRequestOperation,
      note: {
        code: 'insufficient_scope',
        detail: `${operation} needs the permission ${shape.write ? 'db:write' : 'db:read'}, which the credential does not have. Nothing was executed; the client's session has ended.`,
      },
    };
  }
  const missed = engine.streams ? importedIn(createdTransfers(code, body)) : undefined;
  if (missed !== undefined) {
    return {
      kind: 'refuse',
      operation,
      reason: EvictionReason.invalidRequestBody,
      note: {
        code: 'cdc_enabled',
        detail: `Transfer ${missed} of the request is imported. ${missedByStreams} Nothing was executed; the client's session has ended. Pause the streams, import, and resume them.`,
      },
    };
  }
  const unsafe = endsByImportedPost(engine.name, engine.version)
    ? importedPostIn(createdTransfers(code, body))
    : undefined;
  if (unsafe === undefined) return { kind: 'pass', operation };
  return {
    kind: 'refuse',
    operation,
    reason: EvictionReason.invalidRequestBody,
    note: {
      code: 'unsafe_request',
      detail: `Transfer ${unsafe} of the request is an imported post or void of a pending transfer, which would end this cluster of TigerBeetle ${engine.version} for good. Nothing was executed; the client's session has ended.`,
    },
  };
}
