/** Reads the change events of one database for one caller, through the gateway's sessions and fair turns. */
import type { GatewayReply } from '../gateway/call.ts';
import { GatewayFailure } from '../gateway/failures.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { errorOf, problemOfFailure } from '../gateway/problems.ts';
import { requireTarget, type LedgerPlaces } from '../gateway/targets.ts';
import {
  changeEventsPage,
  changeEventsRequest,
  type ChangeEventsPage,
} from '../ledger/change-events.ts';
import { decodeRequest, type WireRequest } from '../ledger/decode.ts';
import { offsetOf, transfer } from '../ledger/layouts.ts';
import { ledgerOperations } from '../ledger/operations.ts';
import { utf8 } from '../ledger/text-writer.ts';

export interface SourceServices extends LedgerPlaces {
  readonly gateway: Gateway;
}

interface SourceOptions {
  readonly organizationId: string;
  readonly databaseId: string;
  readonly requestId: string;
  /** Aborts when nobody waits for events any more. */
  readonly signal: AbortSignal;
}

const timestampAt = offsetOf(transfer, 'timestamp');
const latestTransfer = utf8('{"limit":1,"flags":"reversed"}');

/** Its methods reject with a `Refusal`. */
export class ChangeEventSource {
  readonly #services: SourceServices;
  readonly #options: SourceOptions;

  constructor(services: SourceServices, options: SourceOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** The start: `beginning`, `now` or a timestamp in decimal digits. */
  async start(after: string): Promise<bigint> {
    if (after === 'beginning') return 0n;
    return after === 'now' ? this.#latest() : BigInt(after);
  }

  /** `after`: 0 to `afterMax`. */
  async page(after: bigint, limit: number): Promise<ChangeEventsPage> {
    const { rows } = await this.#ask(changeEventsRequest(after, limit));
    const page = changeEventsPage(after, limit, rows);
    if (page !== undefined) return page;
    this.#services.gateway.distrust(this.#options.databaseId);
    throw refused(new GatewayFailure('gateway_bad_reply', 'unknown', notAnAnswer));
  }

  /** Does the process's work when it is the organization's turn. */
  encode<T>(work: () => T): Promise<T> {
    return this.#services.gateway.turns.run(this.#options.organizationId, work);
  }

  async #latest(): Promise<bigint> {
    const decoded = decodeRequest(ledgerOperations.query_transfers, latestTransfer);
    if (!decoded.ok) throw errorOf(decoded.problem);
    const { rows } = await this.#ask(decoded.request);
    if (rows.length === 0) return 0n;
    const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
    return view.getBigUint64(timestampAt, true);
  }

  async #ask(request: WireRequest): Promise<GatewayReply> {
    const { organizationId, databaseId, requestId, signal } = this.#options;
    const target = await requireTarget(this.#services, organizationId, databaseId);
    try {
      return await this.#services.gateway.submit(target, request, { requestId, signal });
    } catch (error) {
      throw error instanceof GatewayFailure ? refused(error) : error;
    }
  }
}

const refused = (failure: GatewayFailure): Error => errorOf(problemOfFailure(failure));

const notAnAnswer = 'The ledger’s answer is no page of change events. Ask again.';
