import { expect, test } from '@jest/globals';
import { agentVerbs } from '../agent/verbs.ts';
import { engineVerbs } from './verbs.ts';

test.each(Object.entries({ ...engineVerbs, ...agentVerbs }))(
  'the verb %s is the one of that name',
  async (name, load) => {
    expect((await load()).name).toBe(name);
  },
);
