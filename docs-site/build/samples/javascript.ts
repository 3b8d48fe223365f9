import { literal, type Syntax, singleQuoted } from './literal.ts';
import type { SampleRequest } from './request.ts';

const syntax: Syntax = {
  null: 'null',
  true: 'true',
  false: 'false',
  object: ['{', '}'],
  array: ['[', ']'],
  indent: '  ',
  padding: ' ',
  string: singleQuoted,
  variable: (name) => `process.env.${name}`,
  name: (name) => `${/^[A-Za-z_]\w*$/.test(name) ? name : singleQuoted(name)}: `,
};

/** A module with `fetch`, for Node and everything that has it. */
export function javascriptSample({ method, url, needsKey, isRepeatable, json, form }: SampleRequest): string {
  const headers = [
    ...(needsKey ? [`Authorization: \`Bearer \${process.env.API_KEY}\``] : []),
    ...(isRepeatable ? [`'Idempotency-Key': crypto.randomUUID()`] : []),
    ...(json === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: {\n${headers.map((line) => `    ${line},\n`).join('')}  }`]),
    ...(json === undefined ? [] : [`body: JSON.stringify(${literal(json, syntax, 1)})`]),
    ...(form === undefined ? [] : [`body: new URLSearchParams(${literal(form, syntax, 1)})`]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.map((line) => `  ${line},\n`).join('')}}`;
  return `const response = await fetch('${url}'${given});
console.log(response.status, await response.json());`;
}
