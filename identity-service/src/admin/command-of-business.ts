import type { Command } from 'commander';
import { parseCount } from './number-argument.ts';

/** A command about one business, or about something of it. */
export function commandOfBusiness(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .requiredOption('--business <id>', 'identifier of the business', parseCount);
}
