import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { EventType } from '@business-api/client';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';

/** A body that is given as JSON, as `@file` or as `-` for standard input. @throws UsageError where it is no JSON object */
export async function readData({ terminal }: Context, source: string): Promise<object> {
  const given = source.startsWith('@') ? readText(source.slice(1)) : source;
  const json = source === '-' ? await text(terminal.stdin) : given;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new UsageError('--data is no JSON.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError('--data must be a JSON object.');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--data: ${path} cannot be read (${Object(error).code}).`);
  }
}

/** A number of records. @throws UsageError */
export function readCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError('--limit must be a whole number from 1.');
}

/** Types of events, separated by commas. The platform refuses those that it does not know. @throws UsageError for none */
export function readTypes(text: string): EventType[] {
  const types = text.split(',').map((type) => type.trim());
  if (types.every((type) => type !== '')) return types as EventType[];
  throw new UsageError('--types must be types separated by commas, as order.created,order.paid.');
}
