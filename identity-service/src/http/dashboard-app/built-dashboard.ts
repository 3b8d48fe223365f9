import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The dashboard as `npm run build` left it. */
export interface BuiltDashboard {
  /** Directory of what its page loads. */
  readonly assets: string;
  /** The page; the nonce of its styles goes where `noncePlace` stands. */
  readonly page: string;
}

/** What dashboard/index.html has in the place of a nonce. */
export const noncePlace = '__STYLE_NONCE__';

/** The dashboard in a directory; undefined where there is none. */
export function readDashboard(directory: string): BuiltDashboard | undefined {
  try {
    const page = readFileSync(join(directory, 'index.html'), 'utf8');
    return { assets: join(directory, 'assets'), page };
  } catch {
    return undefined;
  }
}
