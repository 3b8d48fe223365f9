import { InvalidArgumentError } from 'commander';

/** A positive whole number on the command line. @throws InvalidArgumentError */
export function parseCount(text: string): number {
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < 1)
    throw new InvalidArgumentError('It must be a positive whole number.');
  return value;
}
