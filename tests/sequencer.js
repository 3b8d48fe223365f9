import Sequencer from '@jest/test-sequencer';

/** Tests over real processes first: the short unit tests then fill the end, so that no worker waits for a long file. */
export default class ProcessesFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isUnit = ({ context }) => context.config.displayName?.name === 'unit';
    return [...sorted.filter((test) => !isUnit(test)), ...sorted.filter(isUnit)];
  }
}
