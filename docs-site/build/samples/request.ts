import { type Media, needsCredential, type Operation } from '../reference/document.ts';

/** JSON of a body; a string of the form `<CLIENT_ID>` stands for the environment variable CLIENT_ID. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The request that the samples of an operation send. */
export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  /** Whether API_KEY of the environment is sent. */
  readonly needsKey: boolean;
  /** Whether a fresh Idempotency-Key is sent, so that a program may repeat the request. */
  readonly isRepeatable: boolean;
  readonly json?: Json;
  /** Fields of a form; one of `json` and `form` at most. */
  readonly form?: Readonly<Record<string, string>>;
}

const origin = 'https://api.example.com';

/** The request of an operation, from its examples; undefined for a page of a browser. */
export function sampleRequestOf(operation: Operation): SampleRequest | undefined {
  const { method, parameters, requestBody, responses } = operation;
  const success = responses['200'] ?? responses['201'] ?? responses['202'];
  if (success?.content?.['application/json'] === undefined) return undefined;
  const json = requestBody?.content['application/json'];
  const form = requestBody?.content['application/x-www-form-urlencoded'];
  return {
    method,
    url: `${origin}${fillPath(operation)}${requiredQuery(operation)}`,
    needsKey: needsCredential(operation),
    // A lost refresh is repeated by applications that ask for it.
    isRepeatable: form === undefined && parameters.some(({ name }) => name === 'Idempotency-Key'),
    ...(form !== undefined && { form: exampleOf(form) as Record<string, string> }),
    ...(form === undefined && json !== undefined && { json: exampleOf(json) as Json }),
  };
}

function fillPath({ path, parameters }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => {
    const example = parameters.find((parameter) => parameter.name === name)?.example;
    if (example === undefined) throw new Error(`${name} of ${path} has no example`);
    return encodeURIComponent(String(example));
  });
}

/** Parameters of the query without which there is no request. */
function requiredQuery({ path, parameters }: Operation): string {
  const given = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true);
  const query = new URLSearchParams(
    given.map(({ name, example }) => {
      if (example === undefined) throw new Error(`${name} of ${path} has no example`);
      return [name, String(example)];
    }),
  );
  return query.size > 0 ? `?${query}` : '';
}

function exampleOf({ example, examples = {} }: Media): unknown {
  const value = example ?? Object.values(examples)[0]?.value;
  if (value === undefined) throw new Error('a body of a request has no example');
  return value;
}

/** Whether a request has to say that its body is empty: the libcurl of curl and PHP leaves Content-Length out otherwise. */
export const isEmptyPost = ({ method, json, form }: SampleRequest): boolean =>
  method === 'POST' && json === undefined && form === undefined;

/** Name of the environment variable that a string stands for. */
export const variableOf = (text: string): string | undefined => /^<([A-Z_]+)>$/.exec(text)?.[1];
