/**
 * A counter that orders what happens inside this process. Unlike a clock it never stands still: of two moments, the
 * later one is greater.
 */
export type Sequence = () => number;

export function createSequence(): Sequence {
  let last = 0;
  return () => ++last;
}
