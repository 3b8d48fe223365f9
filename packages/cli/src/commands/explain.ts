import { ConnectionError } from '@business-api/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { plainText, type Section, sectionsFor } from '../error-guide.ts';
import { RefusalError, UsageError } from '../errors.ts';
import { printRecords, toJson } from '../output.ts';
import { originOf } from '../session.ts';

/** Milliseconds for the whole page. */
const limitMs = 15_000;

/** Adds `explain`. */
export function addExplain(program: Command, context: Context): void {
  program
    .command('explain <error>')
    .description('explain a status (403), the code of an error (insufficient_scope) or a request id')
    .action((wanted: string, _: object, command: Command) =>
      explain(context, wanted, command.optsWithGlobals<GlobalOptions>()),
    );
}

async function explain(context: Context, wanted: string, options: GlobalOptions): Promise<void> {
  const { terminal, name } = context;
  const url = originOf(context, options);
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(wanted)) {
    const page = new URL(`/dashboard/settings/developers/requests/${wanted.toLowerCase()}`, url).href;
    return terminal.out(
      options.json ? toJson({ request_id: wanted, page }) : `The dashboard shows why it failed:\n  ${page}`,
    );
  }
  if (!/^\w[\w-]*$/.test(wanted)) throw new UsageError('The error must be a status, a code or a request id.');
  const sections = sectionsFor(await readGuide(url, context.signal), wanted);
  const [only] = sections;
  if (only === undefined) {
    throw new RefusalError(`The documentation has no error ${wanted}. All of them: ${url}/docs/errors`);
  }
  const linked = sections.map(({ anchor, title, text }) => {
    return { code: anchor, title, text: plainText(text), help: `${url}/docs/errors#${anchor}` };
  });
  if (options.json || sections.length > 1) {
    printRecords(context, options, linked, {
      code: ({ code }) => code,
      title: ({ title }) => title,
    });
    if (!options.json) terminal.note(`More about one of them: ${name} explain ${only.anchor}`);
    return undefined;
  }
  printSection(context, only, `${url}/docs/errors#${only.anchor}`);
}

function printSection({ terminal }: Context, { title, text }: Section, help: string): void {
  terminal.out(terminal.hasColors ? `\u001b[1m${title}\u001b[22m` : title);
  terminal.out(`\n${plainText(text)}\n`);
  terminal.out(help);
}

/** The page about errors. It is public: no key is sent. @throws ConnectionError, RefusalError */
async function readGuide(origin: string, signal: AbortSignal): Promise<string> {
  const url = new URL('/docs/errors.md', origin);
  const either = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  let response: Response;
  try {
    response = await fetch(url, { signal: either });
    if (response.ok) return await response.text();
  } catch (cause) {
    signal.throwIfAborted();
    throw new ConnectionError(`GET ${url.href} got no whole response`, { cause });
  }
  throw new RefusalError(`${url.href} responded with ${response.status}: is this the platform?`);
}
