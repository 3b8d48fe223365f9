/** One column: its title, and its text of a record. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | number | null>>;

const gap = '  ';

/**
 * Lines of a table, the first with the titles. `width` is the number of characters per line: longer lines end with `…`.
 * Without it nothing is cut.
 */
export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>, width?: number): string[] {
  const titles = Object.keys(columns).map((title) => title.toUpperCase());
  const texts = rows.map((row) => Object.values(columns).map((text) => clean(String(text(row) ?? ''))));
  const lines = [titles, ...texts];
  const widths = titles.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ''))));
  return lines.map((line) => {
    const padded = line.map((text, index) => text + ' '.repeat((widths[index] ?? 0) - widthOf(text)));
    return cut(padded.join(gap).trimEnd(), width);
  });
}

/** Text of others without what a terminal would obey or what would turn the direction of a line. */
export const clean = (text: string) => text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '�');

/** Cells that a text takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** The text, or as much of it as fits with `…`. */
export function cut(text: string, width: number | undefined): string {
  if (width === undefined || widthOf(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += cellsOf(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

const wide =
  /[\u1100-\u115f\u3000\uff01-\uff60]|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}/u;

function cellsOf(character: string): number {
  if (/\p{M}|\u200d/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
