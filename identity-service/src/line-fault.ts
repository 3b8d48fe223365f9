/** Control characters hide things; PostgreSQL stores neither NUL nor half a surrogate pair. */
const hidden = /\p{Cc}/u;

/** What is wrong with one line of text of 1 to `max` characters. */
export function lineFault(text: string, what: string, max: number): string | undefined {
  if (text === '') return `Enter ${what}.`;
  if ([...text].length > max) return `Use at most ${max} characters.`;
  return text.isWellFormed() && !hidden.test(text)
    ? undefined
    : 'Leave out line breaks and control characters.';
}
