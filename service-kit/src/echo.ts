/** Characters of a client's own words that an error repeats. */
const maxEcho = 100;

/** A name that a client sent, short enough to be repeated to it. */
export function echo(name: string): string {
  return name.length > maxEcho ? `${name.slice(0, maxEcho)}…` : name;
}
