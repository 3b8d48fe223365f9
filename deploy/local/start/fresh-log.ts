import { existsSync, renameSync } from 'node:fs';

/** Puts the log of the last start aside, so that logs do not grow for ever. Returns the path for the new one. */
export function freshLog(file: string): string {
  if (existsSync(file)) renameSync(file, `${file}.1`);
  return file;
}
