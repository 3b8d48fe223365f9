import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { isMap, type Manifest, nameOf, type Value } from './values.ts';

/*
 * Fields, types and required fields of every kind, from the declarations of the package kubernetes-types. They are generated
 * with a regular layout, so a few patterns can read them.
 */

interface Field {
  readonly type: string;
  readonly required: boolean;
}

interface Module {
  readonly path: string;
  /** Interfaces and their fields. */
  readonly interfaces: ReadonlyMap<string, ReadonlyMap<string, Field>>;
  /** Other names for types. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Modules of imported names. */
  readonly imports: ReadonlyMap<string, string>;
}

const root = dirname(createRequire(import.meta.url).resolve('kubernetes-types/package.json'));
const modules = new Map<string, Module>();

function loadModule(path: string): Module {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const source = readFileSync(join(root, `${path}.d.ts`), 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '');
  const imports = new Map<string, string>();
  for (const [, names = '', from = ''] of source.matchAll(/^import \{ (.*) \} from "(.*)";/gm)) {
    for (const name of names.split(', ')) imports.set(name, relative('/', join('/', dirname(path), from)));
  }
  const interfaces = new Map<string, ReadonlyMap<string, Field>>();
  for (const [, name = '', body = ''] of source.matchAll(/^export interface (\w+) \{\n(.*?)^\}/gms)) {
    interfaces.set(name, fieldsOf(body));
  }
  const aliases = new Map(
    [...source.matchAll(/^export type (\w+) = (.*);/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const loaded = { path, interfaces, aliases, imports };
  modules.set(path, loaded);
  return loaded;
}

function fieldsOf(body: string): ReadonlyMap<string, Field> {
  const fields = body.matchAll(/^ {4}(?:readonly )?"?([\w$-]+)"?(\?)?: (\{.*?\n {4}\}|[^;]*);/gms);
  return new Map(
    [...fields].map(([, name = '', optional, type = '']) => [
      name,
      { type, required: optional === undefined },
    ]),
  );
}

/** The declarations of `apps/v1` are in apps/v1, those of `networking.k8s.io/v1` in networking/v1, those of `v1` in core/v1. */
function moduleOf(apiVersion: string): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return `${(group ?? '').split('.')[0]}/${version}`;
}

/** Errors of one object: unknown and missing fields, and values of the wrong type, at every depth. */
export function schemaErrors(object: Manifest): string[] {
  const module = findModule(moduleOf(object.apiVersion));
  const declared = module?.interfaces.get(object.kind)?.get('apiVersion')?.type;
  if (module === undefined || declared !== `"${object.apiVersion}"`)
    return [`${nameOf(object)}: no kind of ${object.apiVersion}`];
  return typeErrors(object, object.kind, module, nameOf(object));
}

function findModule(path: string): Module | undefined {
  try {
    return loadModule(path);
  } catch {
    return undefined;
  }
}

const primitives = ['string', 'number', 'boolean'];

function typeErrors(value: Value, type: string, module: Module, place: string): string[] {
  const [, element] = /^Array<(.*)>$/s.exec(type) ?? [];
  if (element !== undefined) return listErrors(value, element, module, place);
  const [, entry] = /^\{\s*\[name: string\]: (.*);\s*\}$/s.exec(type) ?? [];
  if (entry !== undefined) return mapErrors(value, entry, module, place);
  if (type.includes(' | ')) {
    const tried = type.split(' | ').map((option) => typeErrors(value, option, module, place));
    return tried.some((errors) => errors.length === 0) ? [] : [`${place} is no ${type}`];
  }
  if (type.startsWith('"')) return `"${value}"` === type ? [] : [`${place} is not ${type}`];
  if (primitives.includes(type)) return typeof value === type ? [] : [`${place} is no ${type}`];
  return namedTypeErrors(value, type, module, place);
}

function listErrors(value: Value, element: string, module: Module, place: string): string[] {
  if (!Array.isArray(value)) return [`${place} is no list`];
  return value.flatMap((entry, index) => typeErrors(entry, element, module, `${place}[${index}]`));
}

function mapErrors(value: Value, type: string, module: Module, place: string): string[] {
  if (!isMap(value)) return [`${place} has no keys`];
  return Object.entries(value).flatMap(([key, entry]) => typeErrors(entry, type, module, `${place}.${key}`));
}

function namedTypeErrors(value: Value, type: string, module: Module, place: string): string[] {
  const from = module.imports.get(type);
  if (from !== undefined) return namedTypeErrors(value, type, loadModule(from), place);
  const alias = module.aliases.get(type);
  if (alias !== undefined) return typeErrors(value, alias, module, place);
  const fields = module.interfaces.get(type);
  if (fields === undefined) throw new Error(`kubernetes-types has no ${type} in ${module.path}`);
  if (!isMap(value)) return [`${place} is no ${type}`];
  const missing = [...fields].filter(([name, { required }]) => required && value[name] === undefined);
  return [
    ...missing.map(([name]) => `${place}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, child]) => {
      const field = fields.get(name);
      if (field === undefined) return [`${place}.${name} is unknown`];
      return typeErrors(child, field.type, module, `${place}.${name}`);
    }),
  ];
}
