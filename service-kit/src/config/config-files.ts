import { readFileSync } from 'node:fs';

/** An invalid variable; the message never holds its value. */
export interface ConfigIssue {
  readonly name: string;
  readonly message: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface FilledEnvironment {
  /** The environment with the contents of the files. */
  readonly environment: Environment;
  /** One per variable that has no usable file. */
  readonly issues: readonly ConfigIssue[];
}

/**
 * Reads variables from files: `KEY_PEPPERS_FILE=/run/secrets/peppers` gives `KEY_PEPPERS` the file's content without the
 * newline at its end. Only the variables in `names` have a `_FILE`; the message of an issue never holds content.
 */
export function readFiles(environment: Environment, names: readonly string[]): FilledEnvironment {
  const filled: Record<string, string | undefined> = { ...environment };
  const issues: ConfigIssue[] = [];
  for (const name of names) {
    const path = environment[`${name}_FILE`] ?? '';
    if (path === '') continue;
    if ((environment[name] ?? '') !== '') {
      issues.push({ name, message: `is set, and ${name}_FILE as well: keep one of them` });
      continue;
    }
    const read = contentOf(path);
    if ('message' in read) issues.push({ name, message: `${name}_FILE ${read.message}` });
    else filled[name] = read.content;
  }
  return { environment: filled, issues };
}

function contentOf(path: string): { readonly content: string } | { readonly message: string } {
  try {
    const content = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return content === '' ? { message: 'is empty' } : { content };
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : 'unknown';
    return { message: `cannot be read (${code})` };
  }
}
