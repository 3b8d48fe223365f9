import { literal, type Syntax } from './literal.ts';
import type { SampleRequest } from './request.ts';

const syntax: Syntax = {
  null: 'None',
  true: 'True',
  false: 'False',
  object: ['{', '}'],
  array: ['[', ']'],
  indent: '    ',
  padding: '',
  // Its escapes are those of JSON.
  string: (text) => JSON.stringify(text),
  variable: (name) => `os.environ["${name}"]`,
  name: (name) => `${JSON.stringify(name)}: `,
};

/** A program for Python 3 without packages. */
export function pythonSample(request: SampleRequest): string {
  const { method, url, json, form } = request;
  const headers = headersOf(request);
  const options = [
    JSON.stringify(url),
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length === 0
      ? []
      : [`headers={\n${headers.map((line) => `        ${line},\n`).join('')}    }`]),
    ...(json === undefined ? [] : [`data=json.dumps(${literal(json, syntax, 1)}).encode()`]),
    ...(form === undefined ? [] : [`data=urllib.parse.urlencode(${literal(form, syntax, 1)}).encode()`]),
  ];
  return `${importsOf(request)}

request = urllib.request.Request(
${options.map((line) => `    ${line},\n`).join('')})
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`;
}

const headersOf = ({ needsKey, isRepeatable, json }: SampleRequest): string[] => [
  ...(needsKey ? [`"Authorization": f"Bearer {os.environ['API_KEY']}"`] : []),
  ...(isRepeatable ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ...(json === undefined ? [] : ['"Content-Type": "application/json"']),
];

function importsOf({ needsKey, isRepeatable, form }: SampleRequest): string {
  const modules = [
    'json',
    ...(needsKey || form !== undefined ? ['os'] : []),
    ...(form === undefined ? [] : ['urllib.parse']),
    'urllib.request',
    ...(isRepeatable ? ['uuid'] : []),
  ];
  return modules.map((name) => `import ${name}`).join('\n');
}
