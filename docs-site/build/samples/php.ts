import { literal, type Syntax, singleQuoted } from './literal.ts';
import { isEmptyPost, type SampleRequest } from './request.ts';

const syntax: Syntax = {
  null: 'null',
  true: 'true',
  false: 'false',
  object: ['[', ']'],
  array: ['[', ']'],
  indent: '    ',
  padding: '',
  string: singleQuoted,
  variable: (name) => `getenv('${name}')`,
  name: (name) => `${singleQuoted(name)} => `,
};

/** A program for PHP 8 with its curl extension. */
export function phpSample(request: SampleRequest): string {
  const { method, url, needsKey, isRepeatable, json, form } = request;
  const headers = [
    ...(needsKey ? [`'Authorization: Bearer ' . getenv('API_KEY')`] : []),
    ...(isRepeatable ? [`'Idempotency-Key: ' . bin2hex(random_bytes(16))`] : []),
    ...(json === undefined ? [] : [`'Content-Type: application/json'`]),
  ];
  const options = [
    'CURLOPT_RETURNTRANSFER => true',
    ...(method === 'GET' ? [] : [`CURLOPT_CUSTOMREQUEST => '${method}'`]),
    ...(headers.length === 0
      ? []
      : [`CURLOPT_HTTPHEADER => [\n${headers.map((line) => `        ${line},\n`).join('')}    ]`]),
    ...(isEmptyPost(request) ? [`CURLOPT_POSTFIELDS => ''`] : []),
    ...(json === undefined ? [] : [`CURLOPT_POSTFIELDS => json_encode(${literal(json, syntax, 1)})`]),
    ...(form === undefined ? [] : [`CURLOPT_POSTFIELDS => http_build_query(${literal(form, syntax, 1)})`]),
  ];
  return `<?php
$request = curl_init('${url}');
curl_setopt_array($request, [
${options.map((line) => `    ${line},\n`).join('')}]);
$body = curl_exec($request);
if ($body === false) {
    exit(curl_error($request));
}
echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), ' ', $body, "\\n";`;
}
