/** Keys of intents whose request a person may change between two tries. */

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
