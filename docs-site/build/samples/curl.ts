import { isEmptyPost, type SampleRequest, variableOf } from './request.ts';

/** A command for sh. */
export function curlSample(request: SampleRequest): string {
  const { method, url, needsKey, isRepeatable, json, form } = request;
  const isEmpty = isEmptyPost(request);
  const defaultMethod = json === undefined && form === undefined && !isEmpty ? 'GET' : 'POST';
  const options = [
    ...(method === defaultMethod ? [] : [`-X ${method}`]),
    ...(needsKey ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    ...(isRepeatable ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...(isEmpty ? ["-d ''"] : []),
    ...(json === undefined ? [] : [`-d ${quoted(JSON.stringify(json, null, 2))}`]),
    ...Object.entries(form ?? {}).map(([name, value]) => `--data-urlencode ${fieldOf(name, value)}`),
  ];
  return [`curl ${quotedIfNeeded(url)}`, ...options].join(' \\\n  ');
}

function fieldOf(name: string, value: string): string {
  const variable = variableOf(value);
  return variable === undefined ? quotedIfNeeded(`${name}=${value}`) : `"${name}=$${variable}"`;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const quotedIfNeeded = (text: string) => (/^[\w.:/=-]+$/.test(text) ? text : quoted(text));
