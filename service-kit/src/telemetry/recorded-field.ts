import { redactPath } from './logger.ts';

/** The last word of a name that was cut. It is removed, because a partial secret would not be recognized. */
const cutWord = /\w*…/g;

/** Name of a field as it is recorded: it may be text of the client, so it is printable, without secrets. */
export const recordedField = (name: string, maxLength: number): string =>
  redactPath(name.replaceAll(cutWord, '...')).slice(0, maxLength);
