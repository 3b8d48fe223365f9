import { echo } from '@platform/service-kit/echo.ts';
import type { z } from 'zod';

/** Faults that one answer names, and how long a text about one may get. */
const maxFaults = 20;
const maxLength = 300;

/** Input that is not in its type. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  /** What is wrong with each field, for the person who filled it in. */
  readonly fields: Readonly<Record<string, string>>;
  /** Stable snake_case word. */
  readonly reason: string;

  constructor(fields: Readonly<Record<string, string>>, reason = 'invalid_input') {
    super(Object.keys(fields).length === 1 ? 'A field is not right.' : 'Some fields are not right.');
    this.fields = fields;
    this.reason = reason;
  }
}

/** Input in its exact type. @throws InvalidInput */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new InvalidInput(faultsOf(parsed.error));
}

/** The first fault of each field. Fields that do not belong there are faults of their own. */
function faultsOf({ issues }: z.ZodError): Record<string, string> {
  const faults = issues.flatMap((issue): [string, string][] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [key, 'does not belong here'])
      : [[issue.path.join('.'), issue.message]],
  );
  const short = faults.map(([field, text]) => [echo(field), text.slice(0, maxLength)] as const);
  return Object.fromEntries(short.slice(0, maxFaults).reverse());
}
