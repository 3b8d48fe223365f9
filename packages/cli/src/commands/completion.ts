import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { triggeredTypes } from './trigger.ts';

/** Words that may follow the words of a command. */
type Following = ReadonlyMap<string, readonly string[]>;

const shells: Readonly<Record<string, (name: string, following: Following) => string>> = { bash, zsh, fish };

/** Adds `completion`, which knows the commands that were added before it. */
export function addCompletion(program: Command, { terminal, name }: Context): void {
  program
    .command('completion <shell>')
    .description('print a script that completes commands and options: bash, zsh or fish')
    .action((shell: string) => {
      const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
      if (script === undefined) throw new UsageError('The shell must be bash, zsh or fish.');
      terminal.out(script(name, followingOf(program)));
    });
}

function followingOf(program: Command): Following {
  const following = new Map<string, readonly string[]>();
  const globals = program.options.flatMap(({ long }) => long ?? []);
  const add = (command: Command, path: string) => {
    const names = command.commands.map((each) => each.name());
    const options = command.options.flatMap(({ long }) => long ?? []);
    const values = command.name() === 'trigger' ? triggeredTypes : [];
    following.set(path, [...new Set([...names, ...values, ...options, ...globals, '--help'])]);
    for (const each of command.commands) add(each, `${path} ${each.name()}`.trim());
  };
  add(program, '');
  return following;
}

/** The words before the cursor that are no options are the path; of its beginnings, the longest that is known decides. */
function bash(name: string, following: Following): string {
  const cases = Array.from(following, ([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`);
  const id = `_${name.replace(/\W/g, '_')}`;
  return `${id}() {
  local path='' words='' word index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "\${path:+$path }$word" in
      ${[...following.keys()]
        .filter(Boolean)
        .map((path) => `'${path}'`)
        .join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F ${id} ${name}`;
}

function zsh(name: string, following: Following): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(name, following)}`;
}

function fish(name: string, following: Following): string {
  const lines = Array.from(following, ([path, words]) => {
    const seen = path === '' ? [] : path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const when = seen.length === 0 ? '__fish_use_subcommand' : seen.join('; and ');
    return `complete -c ${name} -f -n '${when}' -a '${words.join(' ')}'`;
  });
  return lines.join('\n');
}
