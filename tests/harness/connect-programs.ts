import { type ChildProcess, spawn } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild, untilReady } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import type { TestApplication } from './applications.ts';
import { type Browser, createBrowser } from './browser.ts';
import { request } from './http-request.ts';
import { runDirectory } from './run-directory.ts';
import type { SecurePlatform } from './secure-platform.ts';

/* Programs of the guide "Connect with a library", as processes that trust the platform's certificate. */

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Milliseconds that a program in a terminal may take: on a busy machine Python alone needs ten seconds to start. */
const timeoutMs = 120_000;

/** A program as it lies in a directory of its own. */
interface Prepared {
  readonly directory: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Given {
  readonly platform: SecurePlatform;
  readonly application: Pick<TestApplication, 'clientId' | 'clientSecret' | 'redirectUri'>;
  /** Directory whose node_modules it imports from; the repository where absent. */
  readonly modules?: string;
}

/** Writes the first program of a section, as the platform serves the guide. @throws when there is none */
async function prepare(section: string, { platform, application, modules = root }: Given): Promise<Prepared> {
  const { text } = await platform.request(0, 'GET', '/docs/connect.md');
  const own = text.split('\n## ').find((part) => /^[^\n{]*/.exec(part)?.[0].trim() === section) ?? '';
  const [, language, code] = /```(js|py)\n(.*?)```/s.exec(own) ?? [];
  if (code === undefined) throw new Error(`the guide has no program below ${section}`);
  const directory = runDirectory().newDirectory('connect');
  const file = join(directory, language === 'js' ? 'connect.mjs' : 'connect.py');
  writeFileSync(file, code);
  symlinkSync(join(modules, 'node_modules'), join(directory, 'node_modules'));
  const python = [process.env.PYTHON ?? 'python3', '-B', file];
  const [command = '', ...args] = language === 'js' ? [process.execPath, file] : python;
  const env = {
    PATH: process.env.PATH ?? '',
    ...platform.trust,
    CLIENT_ID: application.clientId,
    CLIENT_SECRET: application.clientSecret,
    REDIRECT_URI: application.redirectUri,
  };
  return { directory, command, args, env };
}

/**
 * Runs a program in a terminal, which asks for one address. @param visit opens the address that it prints
 * @returns the lines that it printed afterwards; what it wrote to standard error, where it failed
 */
export async function runInTerminal(
  section: string,
  given: Given,
  visit: (url: string) => Promise<URL>,
): Promise<{ lines: readonly string[]; error?: string }> {
  const { command, args, env } = await prepare(section, given);
  const child = spawn(command, args, { env, timeout: timeoutMs });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [printed, errors] = [collect(child.stdout), collect(child.stderr)];
  const question = await Promise.race([printed.until(/^Open (\S+)\nIt came back to: $/), ended]);
  if (question === null || typeof question === 'number')
    throw new Error(`${section} asked nothing:\n${errors.text()}`);
  child.stdin.end(`${await visit(question[1] ?? '')}\n`);
  const code = await ended;
  const lines = printed.text().split('It came back to: ')[1]?.trim().split('\n') ?? [];
  return code === 0 ? { lines } : { lines, error: errors.text() };
}

function collect(stream: ChildProcess['stdout']) {
  let text = '';
  stream?.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return {
    text: () => text,
    /** Resolves once everything so far matches. */
    until: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve) => {
        const look = () => {
          const found = pattern.exec(text);
          if (found) resolve(found);
        };
        stream?.on('data', look);
      }),
  };
}

/** A program that serves pages. */
export interface ConnectServer {
  /** Its redirect URI, at its own port. */
  readonly redirectUri: string;
  /** A new browser of a user. */
  newBrowser(): Browser;
  stop(): Promise<unknown>;
}

/** Starts a program that serves pages. @param callbackPath where its library expects the browser */
export async function startConnectServer(
  section: string,
  given: Given,
  callbackPath = '/callback',
): Promise<ConnectServer> {
  const port = await freePort();
  const redirectUri = `http://127.0.0.1:${port}${callbackPath}`;
  const application = { ...given.application, redirectUri };
  const { directory, command, args, env: settings } = await prepare(section, { ...given, application });
  const { newLogFile, records } = runDirectory();
  const logFile = newLogFile(`connect-${section}`);
  const env = { ...settings, PORT: String(port), SESSION_SECRET: 'a secret of thirty-two characters' };
  const inside = ['-C', directory, command, ...args];
  const child: Child = await startChild({
    name: section,
    command: 'env',
    args: inside,
    env,
    logFile,
    records,
  });
  await untilReady(child, () => request(port, 'GET', '/', { headers: { Connection: 'close' } }), 60_000);
  return {
    redirectUri,
    newBrowser: () => createBrowser(port),
    stop: () => child.stop('SIGTERM', 2_000),
  };
}
