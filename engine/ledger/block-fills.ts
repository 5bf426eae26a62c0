/**
 * Fill levels of the newest blocks of all posting lists: the number of lists by their block's size class and the room left
 * in it. They give the maximum number of words that a batch can take, whichever lists it appends to: a posting into a full
 * block of 2,048 takes 4,096 words, and a batch can have thousands of them.
 */

/** Number of classes of room, which are powers of two: 0, 1, 2–3, 4–7, …, 2,048–4,095. */
const ROOMS = 13;
const roomOf = (left: number): number => 32 - Math.clz32(left);
/** Maximum number of words that a moved or new list takes for each further posting. */
const WORDS_PER_POSTING = 4;

interface Kind {
  readonly index: number;
  /** Minimum number of postings until a list of the kind takes a new block. */
  readonly postings: number;
  /** Words of that block. */
  readonly words: number;
}

export class BlockFills {
  readonly #lists: Float64Array;
  /** Sorted so that the kinds with most words for each posting come first. */
  readonly #kinds: readonly Kind[];

  /** `classes`: blocks of 4, 8, … words; a list whose block of the last class is full gets another one of that class. */
  constructor(classes: number) {
    this.#lists = new Float64Array(classes * ROOMS);
    this.#kinds = Array.from(this.#lists, (_, index): Kind => {
      const room = index % ROOMS;
      const sizeClass = (index - room) / ROOMS;
      return {
        index,
        postings: room === 0 ? 1 : 2 ** (room - 1) + 1,
        words: 4 << Math.min(sizeClass + 1, classes - 1),
      };
    }).toSorted((a, b) => b.words / b.postings - a.words / a.postings);
  }

  /** Records that a list got a block of the class with room for `left` more postings. */
  taken(sizeClass: number, left: number): void {
    this.#lists[sizeClass * ROOMS + roomOf(left)]! += 1;
  }

  /** Records that a posting was written into a list's block, which now has room for `left` more. */
  written(sizeClass: number, left: number): void {
    // The kind changes only if the room before was a power of two.
    if ((left & (left + 1)) !== 0) return;
    this.#lists[sizeClass * ROOMS + roomOf(left + 1)]! -= 1;
    this.#lists[sizeClass * ROOMS + roomOf(left)]! += 1;
  }

  /** Records that a list leaves its full block of the class. */
  left(sizeClass: number): void {
    this.#lists[sizeClass * ROOMS]! -= 1;
  }

  /** Returns the maximum words of blocks that appending `postings` may take, to whichever lists. */
  wordsMax(postings: number): number {
    let words = postings * WORDS_PER_POSTING;
    let left = postings;
    for (const kind of this.#kinds) {
      const lists = Math.min(this.#lists[kind.index]!, Math.ceil(left / kind.postings));
      words += lists * kind.words;
      left -= lists * kind.postings;
      if (left <= 0) break;
    }
    return words;
  }
}
