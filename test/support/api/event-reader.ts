/** A reader of a database's stream of change events over HTTP, which keeps its place as a browser's `EventSource` does. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import type { ChangeEvent } from '../../../gen/api.ts';
import { eventually } from '../shell.ts';
import { tunnelDatabaseId, type TunnelWorld } from './tunnel-world.ts';

export interface Asked {
  readonly query?: string;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const askForEvents = (
  world: TunnelWorld,
  { query = '', as = 'read', headers = {} }: Asked,
): ClientRequest =>
  request(`${world.url}/api/v1/databases/${tunnelDatabaseId}/change-events${query}`, {
    ca: readFileSync(join(world.folder, 'ca.crt')),
    headers: { 'x-api-key': as, ...headers },
    agent: false,
  }).end();

export class EventReader {
  readonly events: ChangeEvent[] = [];
  readonly #world: TunnelWorld;
  readonly #query: string;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #rest = '';
  place: string | undefined;
  ended = false;
  /** How often a stream began. */
  begun = 0;

  constructor(world: TunnelWorld, query: string) {
    this.#world = world;
    this.#query = query;
  }

  /** Opens the stream where it was cut off. Throws if there is no stream. */
  async open(): Promise<void> {
    this.ended = false;
    this.#rest = '';
    this.#request = askForEvents(this.#world, {
      query: this.#query,
      headers: {
        accept: 'text/event-stream',
        ...(this.place !== undefined && { 'last-event-id': this.place }),
      },
    });
    this.#request.on('error', () => (this.ended = true));
    const [response] = (await once(this.#request, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) {
      this.close();
      throw new Error(`the stream is refused: ${response.statusCode}`);
    }
    const type = response.headers['content-type'];
    if (type !== 'text/event-stream; charset=utf-8') throw new Error(`the stream is ${type}`);
    this.begun += 1;
    this.#response = response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    for (const event of ['end', 'close', 'error']) response.on(event, () => (this.ended = true));
  }

  /** Comes back until the condition holds, whatever happens to its connections. */
  async follow(until: () => boolean, timeoutMs = 500_000): Promise<void> {
    await eventually(
      'the stream has what it should',
      async () => {
        if (until()) return true;
        if (this.#request === undefined || this.ended) await this.open();
        return undefined;
      },
      timeoutMs,
    );
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  /** Cuts the connection; `follow` makes another one. */
  close(): void {
    this.#request?.destroy();
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const data = field('data');
      const id = field('id');
      if (data !== undefined) {
        const event = JSON.parse(data) as ChangeEvent;
        if (id !== event.timestamp || field('event') !== 'change') {
          throw new Error(`the frame of ${event.timestamp} is wrong: ${block}`);
        }
        this.events.push(event);
      }
      this.place = id ?? this.place;
    }
  }
}
