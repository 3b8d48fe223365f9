import { decodeCursor, encodeCursor } from '@platform/service-kit/values/pagination.ts';
import { z } from 'zod';

const cursorShape = /^e1:([1-9]\d{0,9}):(0|[1-9]\d{0,14})$/;

/** A position in the feed of a business. */
export interface FeedPosition {
  readonly businessId: number;
  /** Of the last event that was read; 0 before the first. */
  readonly sequence: number;
}

/** The cursor of a position. Includes the business, because in another feed it would silently skip events. */
export function encodeFeedCursor({ businessId, sequence }: FeedPosition): string {
  return encodeCursor(`e1:${businessId}:${sequence}`);
}

/** The position in a cursor; undefined for any other text. */
export function decodeFeedCursor(cursor: string): FeedPosition | undefined {
  const [businessId, sequence] = decodeCursor(cursor, cursorShape) ?? [];
  if (businessId === undefined || sequence === undefined) return undefined;
  return { businessId: Number(businessId), sequence: Number(sequence) };
}

/** Seconds that a request may wait for an event. */
const maxWaitSeconds = 30;

const after = z.string().transform((text, context) => {
  const position = decodeFeedCursor(text);
  if (position !== undefined) return position;
  context.addIssue('is not a cursor that this API gave out');
  return z.NEVER;
});

const typesAmong = (known: ReadonlySet<string>) =>
  z.string().transform((text, context): readonly string[] => {
    const names = [...new Set(text.split(','))];
    const unknown = names.find((name) => !known.has(name));
    if (unknown === undefined) return names;
    context.addIssue(
      unknown === '' ? 'must be event types, separated by commas' : 'names an unknown event type',
    );
    return z.NEVER;
  });

function wholeNumber(shape: RegExp, from: number, to: number) {
  const text = `must be a number from ${from} to ${to}`;
  return z
    .string()
    .regex(shape, text)
    .transform(Number)
    .refine((number) => number <= to, text);
}

/** Query parameters of GET /events. @param types of the API */
export const eventQueryParameters = (types: readonly string[]) =>
  z.strictObject({
    after: after.optional(),
    types: typesAmong(new Set(types)).optional(),
    limit: wholeNumber(/^[1-9]\d{0,2}$/, 1, 100).default(20),
    wait: wholeNumber(/^(0|[1-9]\d?)$/, 0, maxWaitSeconds).default(0),
  });
