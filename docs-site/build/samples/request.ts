import { examplesOf, needsCredential, type Operation } from '../reference/document.ts';

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

/** The request of an operation; undefined for a page of a browser, and without an example of what it needs. */
export function sampleRequestOf(operation: Operation): SampleRequest | undefined {
  const { method, parameters, requestBody, responses } = operation;
  const success = responses['200'] ?? responses['201'] ?? responses['202'];
  if (success?.content?.['application/json'] === undefined) return undefined;
  const path = fillPath(operation);
  const query = fillQuery(operation);
  const json = requestBody?.content?.['application/json'];
  const form = requestBody?.content?.['application/x-www-form-urlencoded'];
  const [body] = examplesOf(form ?? json ?? {});
  const needsBody = requestBody !== undefined;
  if (path === undefined || query === undefined || (needsBody && body === undefined)) return undefined;
  return {
    method,
    url: `${origin}${path}${query}`,
    needsKey: needsCredential(operation),
    // A lost refresh is repeated by applications that ask for it.
    isRepeatable: form === undefined && parameters.some(({ name }) => name === 'Idempotency-Key'),
    ...(form !== undefined && { form: body as Record<string, string> }),
    ...(form === undefined && body !== undefined && { json: body as Json }),
  };
}

/** The path with examples of its parameters; undefined where one has none. */
function fillPath({ path, parameters }: Operation): string | undefined {
  const filled = path.replace(/\{(\w+)\}/g, (template, name) => {
    const example = parameters.find((parameter) => parameter.name === name)?.example;
    return example === undefined ? template : encodeURIComponent(String(example));
  });
  return filled.includes('{') ? undefined : filled;
}

/** The parameters of the query that are required, with their examples; undefined where one has none. */
function fillQuery({ parameters }: Operation): string | undefined {
  const needed = parameters.filter(({ in: place, required = false }) => place === 'query' && required);
  if (needed.some(({ example }) => example === undefined)) return undefined;
  const query = new URLSearchParams(
    needed.map(({ name, example }): [string, string] => [name, String(example)]),
  );
  return query.size === 0 ? '' : `?${query}`;
}

/** Whether a request has to say that its body is empty: the libcurl of curl and PHP leaves Content-Length out otherwise. */
export const isEmptyPost = ({ method, json, form }: SampleRequest): boolean =>
  method === 'POST' && json === undefined && form === undefined;

/** Name of the environment variable that a string stands for. */
export const variableOf = (text: string): string | undefined => /^<([A-Z_]+)>$/.exec(text)?.[1];
