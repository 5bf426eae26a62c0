/**
 * Intents of a person, such as one new key. All tries of an intent have the same `Idempotency-Key`, so that a try after a lost
 * answer makes nothing twice.
 */
import { useState } from 'react';
import { intentKey } from './client.ts';

/** The key of an intent with this body: with other choices, it is another intent. */
export const keyFor = (intent: string, body: unknown): string =>
  `${intent}-${hashOf(JSON.stringify(body))}`;

/** FNV-1a. It only distinguishes the drafts of one page. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash.toString(16);
}

interface Sending {
  readonly headers: Readonly<Record<string, string>>;
}

class Intent {
  #key = intentKey();

  /** Sends a request. `what` is all that distinguishes it from other requests: its body, or the ID of the thing it concerns. */
  async try<T>(what: unknown, send: (sending: Sending) => Promise<T>): Promise<T> {
    const answer = await send({ headers: { 'Idempotency-Key': keyFor(this.#key, what) } });
    // It is done: who asks for the same again wants another one.
    this.#key = intentKey();
    return answer;
  }
}

export type { Intent };

/** The intent of a component. It lasts until a try succeeds. */
export const useIntent = (): Intent => useState(() => new Intent())[0];
