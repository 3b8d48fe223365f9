/** Text as requests may carry it: no control characters but tab, line feed and carriage return. */
export const text = (maxLength: number, description?: string) => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$',
  ...(description && { description }),
});

/** The same, or null. */
export const textOrNull = (maxLength: number, description: string) => ({
  ...text(maxLength, description),
  type: ['string', 'null'],
});
