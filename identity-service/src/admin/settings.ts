import { type Command, Option } from 'commander';
import { parseList } from './arguments.ts';

/** Flags and help of each setting of a noun. A flag that ends with `<list>` takes entries with commas between them. */
export type SettingOptions<Settings> = Readonly<
  Record<keyof Settings & string, readonly [flags: string, help: string]>
>;

/** Adds the options of the settings. @param isRequired whether a setting has to be given */
export function withSettings<Settings>(
  command: Command,
  options: SettingOptions<Settings>,
  isRequired: (setting: string) => boolean,
): Command {
  for (const [setting, flagsAndHelp] of Object.entries<readonly [string, string]>(options)) {
    const option = new Option(...flagsAndHelp).makeOptionMandatory(isRequired(setting));
    if (option.flags.endsWith('<list>')) option.argParser(parseList);
    command.addOption(option);
  }
  return command;
}

type SettingValue = string | boolean | readonly string[];

/** Settings for a record as text: `redirect uris` for `redirectUris`, in the order of their names. */
export function settingsText<Name extends string>(
  names: readonly Name[],
  settings: Readonly<Record<Name, SettingValue>>,
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [labelOf(name), textOf(settings[name])]));
}

function labelOf(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

function textOf(value: SettingValue): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : value.join(' ');
}
