/** Jest's order of suites, but those first that are known to take longest. */
import Sequencer from '@jest/test-sequencer';
import { beginFirst } from './stages.ts';

const isLong = ({ path }) => beginFirst.some((suite) => path.endsWith(suite));

export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
