import { ApiError } from './client.ts';

/**
 * What the server has against fields of a form, for `form.setErrors`: in a mutation's `onError`. Faults of fields that the
 * form does not have are shown by ActionError, with the error's own text.
 */
export function formFaults(error: Error): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  const sentences = Object.entries(error.fields).map(([name, text]) => [name, asSentence(text)] as const);
  return Object.fromEntries(sentences);
}

/** A text that was written to stand behind a colon, for standing alone. */
export function asSentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
