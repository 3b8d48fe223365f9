import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/** Files that use the platform of their worker (tests/harness/shared-platform.ts). */
const sharesPlatform = ({ path }) => /\bshared(Platform|Behind)\b/.test(readFileSync(path, 'utf8'));

const turnOf = (test) => {
  if (test.context.config.displayName?.name === 'unit') return 3;
  return sharesPlatform(test) ? 2 : 1;
};

/**
 * First the files that start processes of their own, then those that share some: a platform that waits for its next file
 * takes CPU as well. The short unit tests fill the end, so that no worker waits for a long file.
 */
export default class OwnProcessesFirst extends Sequencer {
  sort(tests) {
    const turns = Map.groupBy(super.sort(tests), turnOf);
    return [1, 2, 3].flatMap((turn) => turns.get(turn) ?? []);
  }
}
