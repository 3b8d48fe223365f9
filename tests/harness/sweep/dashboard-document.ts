import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Role } from '../people.ts';

/** A schema of the document, as far as sweeps look into it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly examples?: readonly unknown[];
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly 'x-role': 'person' | Role | 'operator';
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: Schema } } };
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** An operation of the dashboard API as its document describes it. */
export interface SweptOperation {
  readonly id: string;
  readonly method: string;
  /** Below /dashboard-api, with its parameters in braces. */
  readonly path: string;
  readonly role: 'person' | Role | 'operator';
  /** Names in the path. */
  readonly parameters: readonly string[];
  /** Required parameters of the query: times of the last hours, in ascending order. */
  readonly query: Readonly<Record<string, string>>;
  /** Names of all parameters of the query. */
  readonly queryNames: readonly string[];
  readonly body: Schema | undefined;
  /** Whether its response goes on as long as the page listens. */
  readonly isStream: boolean;
}

export interface DashboardDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const printer = fileURLToPath(
  new URL('../../../identity-service/src/dashboard-operations.ts', import.meta.url),
);

/** The document as identity-service makes it, before anything is started: tests are made from it. */
export function printedDocument(of: 'dashboard' | 'operators' = 'dashboard'): DashboardDocument {
  return JSON.parse(execFileSync(process.execPath, [printer, of], { encoding: 'utf8' }));
}

export function operationsOf({ paths }: Pick<DashboardDocument, 'paths'>): SweptOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      role: operation['x-role'],
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      query: sampleQuery(operation),
      queryNames: operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name),
      body: operation.requestBody?.content['application/json']?.schema,
      isStream: 'text/event-stream' in (operation.responses['200']?.content ?? {}),
    })),
  );
}

const hourMs = 3_600_000;

function sampleQuery({ parameters }: DocumentedOperation): Record<string, string> {
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const now = Date.now();
  return Object.fromEntries(
    needed.map(({ name }, i) => [name, new Date(now - (needed.length - i) * hourMs).toISOString()]),
  );
}

/** A value that a schema allows, with nothing that it does not require. Good enough to be read, not to be accepted. */
export function sampleOf(schema: Schema, resolve: (reference: string) => Schema): unknown {
  if (schema.$ref !== undefined) return sampleOf(resolve(schema.$ref), resolve);
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return sampleOf(schema.anyOf[0], resolve);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {}, resolve)]),
      );
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(schema.items, resolve)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return 1;
    default:
      return schema.format === 'date-time' ? '2999-01-01T00:00:00Z' : 'sample';
  }
}
