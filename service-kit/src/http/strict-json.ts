import { pathText } from '../input/path-text.ts';
import { FieldError, HttpError } from './errors.ts';

/*
 * JSON.parse takes the last of two equal names, so that two parsers may read different values, and it rounds numbers. This
 * parser refuses every text that is ambiguous (RFC 8259 section 4, RFC 7493).
 */

/** Levels of arrays and objects. */
const maxDepth = 32;

/**
 * The value of a JSON text in which each name of an object is given once.
 * @throws HttpError 400 for text that is not JSON, or is nested deeper than 32 levels
 * @throws FieldError for a name that is given twice, `__proto__` as a name, half of a surrogate pair, and a number beyond
 * ±(2^53 - 1)
 */
export function parseStrictJson(text: string): unknown {
  const value = parse(text);
  checkMembers(text);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'the body is not valid JSON');
  }
}

/** An array or object that the scan is in. */
interface Level {
  /** Names so far; undefined in an array. */
  readonly names: Set<string> | undefined;
  /** Name or index of the member that the scan is at. */
  at: string | number;
}

interface Scan {
  readonly text: string;
  readonly levels: Level[];
  /** Whether the next string is a name. */
  isName: boolean;
}

/** Scans text that is valid JSON. */
function checkMembers(text: string): void {
  const scan: Scan = { text, levels: [], isName: false };
  for (let at = 0; at < text.length; ) at = readToken(scan, at);
}

/** @returns index after the token or blank at an index */
function readToken(scan: Scan, at: number): number {
  switch (scan.text[at]) {
    case '"':
      return readString(scan, at);
    case '{':
      return enter(scan, at, { names: new Set(), at: '' });
    case '[':
      return enter(scan, at, { names: undefined, at: 0 });
    case '}':
    case ']':
      scan.levels.pop();
      return at + 1;
    case ',':
      return goOn(scan, at);
    default:
      return isNumberStart(scan.text, at) ? readNumber(scan, at) : at + 1;
  }
}

function enter(scan: Scan, at: number, level: Level): number {
  if (scan.levels.length === maxDepth) {
    throw new HttpError(400, `the body is nested deeper than ${maxDepth} levels`);
  }
  scan.levels.push(level);
  scan.isName = level.names !== undefined;
  return at + 1;
}

function goOn(scan: Scan, at: number): number {
  const level = scan.levels.at(-1);
  scan.isName = level?.names !== undefined;
  if (typeof level?.at === 'number') level.at++;
  return at + 1;
}

function readString(scan: Scan, start: number): number {
  const { text, levels, isName } = scan;
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  const written = text.slice(start + 1, end);
  const content: string = written.includes('\\') ? JSON.parse(`"${written}"`) : written;
  scan.isName = false;
  if (isName) enterMember(levels, content);
  if (!content.isWellFormed()) throw invalid(levels, 'has half of a character');
  return end + 1;
}

function enterMember(levels: readonly Level[], name: string): void {
  const level = levels.at(-1);
  if (level?.names === undefined) return;
  level.at = name;
  if (name === '__proto__') throw invalid(levels, 'is not a usable name');
  if (level.names.has(name)) throw invalid(levels, 'is given twice');
  level.names.add(name);
}

const [zero, nine, minus] = [48, 57, 45];

function isNumberStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= zero && code <= nine) || code === minus;
}

const numberShape = /[\d.eE+-]+/y;

function readNumber({ text, levels }: Scan, start: number): number {
  numberShape.lastIndex = start;
  numberShape.test(text);
  const end = numberShape.lastIndex;
  if (Math.abs(Number(text.slice(start, end))) > Number.MAX_SAFE_INTEGER) {
    throw invalid(levels, 'is a number that is too large');
  }
  return end;
}

function invalid(levels: readonly Level[], text: string): FieldError {
  return new FieldError(pathText(levels.map(({ at }) => at)), text);
}
