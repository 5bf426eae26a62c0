/**
 * How full the newest blocks of all posting lists are: the count of lists by their block's size class and the room left in
 * it. From that follows how many words a batch can take at most, whichever lists it appends to: a posting that meets a full
 * block of 2,048 takes 4,096 words, and a batch can meet thousands of them.
 */

/** Room is told in powers of two: 0, 1, 2–3, 4–7, …, 2,048–4,095. */
const ROOMS = 13;
const roomOf = (left: number): number => 32 - Math.clz32(left);
/** A list that moved, or that is new, takes at most so many words for each posting that it gets from then on. */
const WORDS_PER_POSTING = 4;

interface Kind {
  readonly index: number;
  /** Postings until a list of the kind takes a new block, at least. */
  readonly postings: number;
  /** The words of that block. */
  readonly words: number;
}

export class BlockFills {
  readonly #lists: Float64Array;
  /** Those first that take most words for each posting. */
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

  /** A list got a block of the class, in which `left` postings more have room. */
  taken(sizeClass: number, left: number): void {
    this.#lists[sizeClass * ROOMS + roomOf(left)]! += 1;
  }

  /** A posting was written into a list's block, in which `left` more have room now. */
  written(sizeClass: number, left: number): void {
    // The kind changes where the room before was a power of two.
    if ((left & (left + 1)) !== 0) return;
    this.#lists[sizeClass * ROOMS + roomOf(left + 1)]! -= 1;
    this.#lists[sizeClass * ROOMS + roomOf(left)]! += 1;
  }

  /** A list leaves its full block of the class. */
  left(sizeClass: number): void {
    this.#lists[sizeClass * ROOMS]! -= 1;
  }

  /** Words of the blocks that appending `postings` may take, to whichever lists. */
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
