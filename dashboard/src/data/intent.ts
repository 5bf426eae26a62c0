/** Keys of intents whose request a person may change between two tries. */

/** The key of an intent with this body: other choices are another intent. */
export const keyFor = (intent: string, body: unknown): string =>
  `${intent}-${hashOf(JSON.stringify(body))}`;

/** FNV-1a: tells drafts of one page apart, and nothing more. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash.toString(16);
}
