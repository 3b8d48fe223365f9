import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, installPackages } from '../../deploy/local/process/install-packages.ts';
import { runDirectory } from './run-directory.ts';

/** A shell in a terminal: blocks of commands are pasted one after the other, variables and functions stay. */
export interface Shell {
  /** Resolves to what the block has printed. @throws when its last command fails, or it takes too long */
  paste(block: string): Promise<string>;
  close(): void;
}

const timeoutMs = 60_000;

/** Opens `sh` in an empty directory, with curl and openssl; where they are missing, they are installed. */
export function openShell(): Shell {
  requireProgram('curl');
  requireProgram('openssl');
  const directory = runDirectory().newDirectory('shell');
  const { PATH = '' } = process.env;
  // As on a terminal, where the response is shown.
  writeFileSync(join(directory, '.curlrc'), 'no-progress-meter\n');
  // It ends with its input, so with this process as well.
  const shell = spawn('sh', [], { cwd: directory, env: { PATH, HOME: directory } });
  let printed = '';
  let onOutput = () => {};
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      onOutput();
    });
  }
  shell.stdin.write('exec 2>&1\n');
  let count = 0;
  return {
    paste: (block) => {
      const file = `block-${++count}.sh`;
      const end = new RegExp(`\n${file} ended with (\\d+)\n$`);
      writeFileSync(join(directory, file), `${block}\n`);
      printed = '';
      return new Promise((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`${why}:\n${block}\n${printed}`));
        const timer = setTimeout(() => fail('A block did not end'), timeoutMs);
        onOutput = () => {
          const [, status] = end.exec(printed) ?? [];
          if (status === undefined) return;
          clearTimeout(timer);
          if (status === '0') resolve(printed.replace(end, ''));
          else fail(`A block ended with ${status}`);
        };
        shell.stdin.write(`. ./${file}; printf '\\n%s ended with %s\\n' ${file} "$?"\n`);
      });
    },
    close: () => shell.stdin.end(),
  };
}

function requireProgram(name: string): void {
  const find = () => findProgram(undefined, [name], process.env);
  if (find() !== undefined) return;
  const managers = ['apt-get', 'dnf', 'apk', 'pacman', 'zypper'];
  const error = installPackages(Object.fromEntries(managers.map((manager) => [manager, [name]])));
  if (find() !== undefined) return;
  throw new Error(`The commands of the guides need ${name}, and ${error ?? 'the package brought none'}.`);
}

/** A request as a shell hands it to curl. */
export interface PastedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Value of `-d`; undefined without it. */
  readonly body: string | undefined;
}

/** Pastes a curl line into sh with a fake curl that prints its arguments. The shell does the quoting, and curl is not needed. */
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
