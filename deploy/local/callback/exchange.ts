import { STATUS_CODES } from 'node:http';
import { type Answer, send } from '../http/send.ts';
import { shortenSecrets } from './shorten.ts';
import type { Step } from './visit.ts';

/** A request to the platform, and what to tell about it. */
export interface Call {
  readonly title: string;
  readonly why: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, string>>;
  /** Fields of the body that are shown shortened although they do not look like our secrets. */
  readonly shown?: Readonly<Record<string, string>>;
}

/** How a call went: for the application, and for the eyes of whoever watches. */
export interface Exchange {
  readonly step: Step;
  /** The JSON of a 2xx answer; undefined for every other. */
  readonly result: unknown;
  readonly status: number;
}

const tellingHeaders = [
  'content-type',
  'cache-control',
  'www-authenticate',
  'retry-after',
  'ratelimit',
  'x-request-id',
];

/** Sends a request as the application and writes down how it went. */
export async function exchange(call: Call): Promise<Exchange> {
  const { title, why, method, url, body, shown } = call;
  const headers = { ...call.headers, ...(body && { 'Content-Type': 'application/json' }) };
  const { pathname, host } = new URL(url);
  const lines = [`${method} ${pathname} HTTP/1.1`, `Host: ${host}`, ...headerLines(headers)];
  const request = show(lines, body && { ...body, ...shown });
  const answer = await send(url, { method, headers, body: body && JSON.stringify(body) }).catch(String);
  if (typeof answer === 'string') {
    return { step: { title, why, request, answer, failed: true }, result: undefined, status: 0 };
  }
  const { status } = answer;
  const isFine = status >= 200 && status < 300;
  const content = parse(answer);
  const step = { title, why, request, answer: show(answerHead(answer), content), failed: !isFine };
  return { step, result: isFine ? content : undefined, status };
}

function answerHead({ status, headers }: Answer): string[] {
  const known = tellingHeaders.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...headerLines(Object.fromEntries(known))];
}

const headerLines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

function show(head: readonly string[], content: unknown): string {
  const text = content === undefined ? '' : `\n\n${JSON.stringify(content, null, 2)}`;
  return shortenSecrets(head.join('\n') + text);
}

function parse({ text }: Answer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
