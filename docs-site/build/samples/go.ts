import { type SampleRequest, variableOf } from './request.ts';

/** A program with `net/http`. */
export function goSample(request: SampleRequest): string {
  const { method, url, json, form } = request;
  const body = json !== undefined || form !== undefined ? 'body' : 'nil';
  return `package main

import (
${importsOf(request)
  .map((name) => `\t"${name}"\n`)
  .join('')})

func main() {
${keyOf(request)}${bodyOf(request)}	request, err := http.NewRequest("${method}", "${url}", ${body})
	if err != nil {
		panic(err)
	}
${headersOf(request)
  .map(([name, value]) => `\trequest.Header.Set("${name}", ${value})\n`)
  .join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.StatusCode, string(text))
}`;
}

function importsOf({ needsKey, isRepeatable, json, form }: SampleRequest): string[] {
  return [
    ...(isRepeatable ? ['crypto/rand'] : []),
    'fmt',
    'io',
    'net/http',
    ...(form === undefined ? [] : ['net/url']),
    ...(needsKey || form !== undefined ? ['os'] : []),
    ...(json === undefined && form === undefined ? [] : ['strings']),
  ];
}

function headersOf({
  needsKey,
  isRepeatable,
  json,
  form,
}: SampleRequest): (readonly [name: string, value: string])[] {
  return [
    ...(needsKey ? [['Authorization', '"Bearer "+os.Getenv("API_KEY")'] as const] : []),
    ...(isRepeatable ? [['Idempotency-Key', 'fmt.Sprintf("%x", key)'] as const] : []),
    ...(json === undefined ? [] : [['Content-Type', '"application/json"'] as const]),
    ...(form === undefined ? [] : [['Content-Type', '"application/x-www-form-urlencoded"'] as const]),
  ];
}

/** As all versions of Go since 1.0 make it. */
function keyOf({ isRepeatable }: SampleRequest): string {
  if (!isRepeatable) return '';
  return `\tkey := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		panic(err)
	}
`;
}

function bodyOf({ json, form }: SampleRequest): string {
  if (json !== undefined) {
    const text = JSON.stringify(json, null, 2).replaceAll('\n', '\n\t');
    return `\tbody := strings.NewReader(\`${text}\`)\n`;
  }
  if (form === undefined) return '';
  const width = Math.max(...Object.keys(form).map((name) => name.length));
  const fields = Object.entries(form).map(([name, value]) => {
    const space = ' '.repeat(width - name.length + 1);
    return `\t\t"${name}":${space}{${writeValue(value)}},\n`;
  });
  return `\tform := url.Values{\n${fields.join('')}\t}\n\tbody := strings.NewReader(form.Encode())\n`;
}

function writeValue(text: string): string {
  const variable = variableOf(text);
  return variable === undefined ? JSON.stringify(text) : `os.Getenv("${variable}")`;
}
