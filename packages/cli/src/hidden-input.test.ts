import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { readHidden } from './hidden-input.ts';

/** A terminal that records whether it showed what is typed. */
class FakeTerminal extends PassThrough {
  readonly isTTY = true;
  readonly modes: boolean[] = [];

  setRawMode(isRaw: boolean): this {
    this.modes.push(isRaw);
    return this;
  }
}

const open = () => {
  const terminal = new FakeTerminal();
  const { signal } = new AbortController();
  return { terminal, read: readHidden(terminal as unknown as NodeJS.ReadStream, signal) };
};

test('the line is read in the raw mode, in which the terminal shows nothing, which then ends', async () => {
  const { terminal, read } = open();
  terminal.write('rk_typee\u007fd\r');
  expect(await read).toBe('rk_typed');
  expect(terminal.modes).toEqual([true, false]);
});

test('the end of input is an error', async () => {
  const { terminal, read } = open();
  terminal.end();
  await expect(read).rejects.toThrow('Nothing was typed.');
});
