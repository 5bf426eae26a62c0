/** A minimal replica: a toy state on a file log, with a record of what the log reported as durable. */
import { createEmpty } from '../format-file.ts';
import { FileLog } from '../file-log.ts';
import type { Storage } from '../storage.ts';
import { ToyState } from './toy-state.ts';

export const PATH = '/disk/0_0.ledger';
export const IDENTITY = { clusterId: (1n << 127n) + 5n, replicaIndex: 0, replicaCount: 1 };
export const RELEASE = 4361;

export function createToyFile(storage: Storage, logSizeBytes: number, path = PATH): Promise<void> {
  return createEmpty({ path, identity: IDENTITY, release: RELEASE, logSizeBytes, storage });
}

export class ToyReplica {
  readonly log: FileLog;
  readonly state: ToyState;
  readonly failures: Error[];
  /** Every message appended or recovered, by op - 1. */
  readonly messages: Uint8Array[];
  acknowledgedOp: number;
  checkpointOp: number;

  private constructor(
    log: FileLog,
    state: ToyState,
    failures: Error[],
    messages: Uint8Array[],
    checkpointOp: number,
  ) {
    this.log = log;
    this.state = state;
    this.failures = failures;
    this.messages = messages;
    this.acknowledgedOp = state.op;
    this.checkpointOp = checkpointOp;
  }

  static async start(storage: Storage, path = PATH): Promise<ToyReplica> {
    const failures: Error[] = [];
    const onFailure = (error: Error): void => void failures.push(error);
    const log = await FileLog.open({ path, release: RELEASE, storage, onFailure });
    try {
      const state = new ToyState();
      const position = await log.recover(state, (entry) => state.execute(entry));
      return new ToyReplica(log, state, failures, [], position.op);
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /** Appends a message. Resolves when it is acknowledged, or never if the log fails first. */
  append(message: Uint8Array): Promise<void> {
    const op = this.state.op + 1;
    this.state.execute({ op, message });
    this.messages.push(message);
    return new Promise((resolve) => {
      this.log.append({ op, timestamp: BigInt(op) * 1000n, view: 0, message }, () => {
        this.acknowledgedOp = op;
        resolve();
      });
    });
  }

  /** Returns the export of its newest checkpoint. */
  async exported(): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    const write = async (bytes: Uint8Array): Promise<void> => {
      await Promise.resolve();
      parts.push(bytes.slice());
    };
    await this.log.exportTo({ write });
    return Buffer.concat(parts);
  }

  async checkpoint(): Promise<void> {
    const { op } = this.state;
    const position = {
      op,
      timestamp: BigInt(op) * 1000n,
      view: 0,
      stateHash: this.state.stateHash(),
    };
    this.checkpointOp = (await this.log.checkpoint(this.state, position)).op;
  }
}

/** Makes a message of `size` bytes (at least 8) that contains its op. */
export function messageOf(op: number, size: number, salt = 0): Uint8Array {
  const message = new Uint8Array(Math.max(size, 8));
  for (let at = 0; at < message.length; at += 1)
    message[at] = (op * 31 + at * 7 + salt * 13) & 0xff;
  new DataView(message.buffer).setUint32(0, op, true);
  return message;
}
