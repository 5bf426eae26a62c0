/** Rows of accounts as checkpoints have them: without what changes later. */
import { Account } from '../wire/records.ts';
import { CREATED_CLOSED, NO_EVENT } from './last-event.ts';
import { setClosed } from './store-transfer.ts';

/** Turns rows of accounts into what they were when they were created. */
export function asCreated(words: Uint32Array): void {
  for (let at = 0; at < words.length; at += Account.words) {
    words.fill(0, at + Account.debitsPending, at + Account.userData128);
    const wasClosed = words[at + Account.reserved] === CREATED_CLOSED;
    words[at + Account.reserved] = wasClosed ? CREATED_CLOSED : NO_EVENT;
    setClosed(words, at, wasClosed);
  }
}
