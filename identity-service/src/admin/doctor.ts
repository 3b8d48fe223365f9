import { Command } from 'commander';
import { type CommandContext, example } from './command.ts';
import type { Finding } from './doctor-checks.ts';
import { exitCodes, formatTable, type Terminal } from './output.ts';
import { serviceEnvironment } from './process.ts';

const signs: Readonly<Record<Finding['state'], string>> = {
  ok: 'ok',
  unknown: 'not checked',
  warning: 'look at',
  failed: 'FAILED',
};

/** `doctor`: what an installation depends on, seen from where the command runs. */
export function doctorCommand({ terminal, finish }: CommandContext): Command {
  const command = new Command('doctor')
    .description('check services, certificates, database, Redis, the public address and mail')
    .addHelpText(
      'after',
      `
Reads the variables of identity-service where they are set (DATABASE_URL, REDIS_URL, PUBLIC_URL, SMTP_URL, or a file that
<name>_FILE names): run it in its container. Changes nothing. Exit code 1 when something failed.
${example('doctor')}`,
    );
  return command.action(async () => {
    // Loaded here only, because it imports the clients of PostgreSQL, Redis and mail.
    const { checkEverything } = await import('./doctor-checks.ts');
    const findings = await checkEverything({ ...terminal, env: serviceEnvironment(terminal.env) });
    print(findings, terminal, command.optsWithGlobals<{ json?: boolean }>().json === true);
    if (findings.some(({ state }) => state === 'failed')) finish(exitCodes.failed);
  });
}

function print(findings: readonly Finding[], terminal: Terminal, asJson: boolean): void {
  if (asJson) terminal.out(`${JSON.stringify(findings, null, 2)}\n`);
  else {
    const rows = findings.map(({ subject, state, text }) => [subject, signs[state], text]);
    terminal.out(formatTable(['', '', ''], rows).split('\n').slice(1).join('\n'));
  }
}
