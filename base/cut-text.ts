/**
 * At most `max` characters of a text for people, which ends with "…" if something is left out: behind a sentence, if that keeps half of
 * it or more, otherwise behind a word.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max - 1);
  const sentence = Math.max(...ends.map((end) => head.lastIndexOf(end)));
  if (sentence + 1 >= max / 2) return `${head.slice(0, sentence + 1)} …`;
  const word = head.lastIndexOf(' ');
  if (word >= max / 2) return `${head.slice(0, word)} …`;
  return `${head.replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

const ends = ['. ', '; '];
