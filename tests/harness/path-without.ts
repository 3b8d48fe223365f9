import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Fills a new directory with everything on the PATH but one program, and returns it as a PATH. */
export function pathWithout(program: string, directory: string): string {
  mkdirSync(directory, { recursive: true });
  const seen = new Set([program]);
  for (const each of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of listed(each)) {
      if (seen.has(name)) continue;
      seen.add(name);
      symlinkSync(join(each, name), join(directory, name));
    }
  }
  return directory;
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
