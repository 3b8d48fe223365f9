import { spawnSync } from 'node:child_process';

/** A request as a shell hands it to curl. */
export interface PastedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Value of `-d`; undefined without it. */
  readonly body: string | undefined;
}

/** Pastes a curl line into sh, with a curl that prints its arguments: quoting is the shell's, curl need not be there. */
export function pastedCurl(line: string): PastedRequest {
  const script = `curl() { printf '%s\\n' "$@"; }\n${line}`;
  const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  const args = stdout.trimEnd().split('\n');
  const headers = args.filter((_, index) => args[index - 1] === '-H').map((header) => header.split(': '));
  return {
    url: args.find((arg) => arg.startsWith('http')) ?? '',
    headers: Object.fromEntries(headers),
    body: args.find((_, index) => args[index - 1] === '-d'),
  };
}
