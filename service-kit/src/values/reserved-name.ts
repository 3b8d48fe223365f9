import { nameKeys } from './name.ts';

/** Words that make a name look like that of the platform's operators. */
const reservedWords = [
  'admin',
  'administrator',
  'billing',
  'helpdesk',
  'official',
  'operator',
  'security',
  'support',
];

/** Words that do not change the meaning of a reserved name, as in "The Support Team". */
const fillers = ['the', 'team', 'department', 'desk', 'account'];

/** The platform's own name, without blanks. */
const platform = ['businessapi'];

const keysOf = (words: readonly string[]): ReadonlySet<string> => new Set(words.flatMap(nameKeys));

const reservedKeys = keysOf(reservedWords);

const knownKeys = keysOf([...reservedWords, ...fillers]);

const platformKeys = keysOf(platform);

const notInWords = /[^\p{L}\p{M}\p{N}]+/u;

/** Text of a validation error. */
export const reservedName = 'is reserved for the platform';

/**
 * Whether a name or username could be mistaken for the platform or its operators: it consists of reserved words, or begins
 * with the platform's name. Names that look alike count as equal (`nameKeys`).
 */
export function isReservedName(name: string): boolean {
  const words = name.split(notInWords).filter((word) => word !== '');
  const isOneOf = (keys: ReadonlySet<string>) => (text: string) =>
    nameKeys(text).some((key) => keys.has(key));
  const beginnings = words.map((_, index) => words.slice(0, index + 1).join(''));
  return (
    beginnings.slice(-1).some(isOneOf(reservedKeys)) ||
    (words.some(isOneOf(reservedKeys)) && words.every(isOneOf(knownKeys))) ||
    beginnings.some(isOneOf(platformKeys))
  );
}
