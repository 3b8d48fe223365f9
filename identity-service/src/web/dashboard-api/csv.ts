/**
 * Before what a spreadsheet would run as a formula, full-width signs included: at the start of a cell and behind all that
 * separates cells or lines in some locale. Excel where `;` separates takes a quote within a line for text, so that one
 * cell of ours may become several of its cells and rows.
 */
const formulaStart = /(?<=^|[;,\t\r\n"])(?=[ \u00a0]*(?:[=+\-@\t\uff1d\uff0b\uff0d\uff20]|\r(?!\n)))/g;

/** Byte order mark. Without it, Excel reads UTF-8 in the code page of the computer. */
const byteOrderMark = '\ufeff';

/**
 * Rows as CSV (RFC 4180), behind a byte order mark. An apostrophe precedes what a spreadsheet would run as a formula, because names and reasons are
 * user input (OWASP, CSV injection); cells with a separator or quote of any locale, or a line end, are quoted.
 */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return byteOrderMark + rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

function toCell(text: string): string {
  const inert = text.replace(formulaStart, "'");
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
