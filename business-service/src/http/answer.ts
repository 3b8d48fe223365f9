import { httpErrorBody } from '@platform/service-kit/http-error.ts';
import type { Response } from 'express';

/** What an endpoint answers. */
export interface Answer {
  readonly status: number;
  /** Absent where the status has none. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function errorAnswer(status: number, text?: string, headers: Answer['headers'] = {}): Answer {
  return { status, body: httpErrorBody(status, text), headers };
}

/** Sends an answer as JSON that may not be stored, unless its headers say otherwise: it is one business's data. */
export function sendAnswer(res: Response, { status, body, headers = {} }: Answer): void {
  res.status(status).set({ 'Cache-Control': 'no-store', ...headers });
  if (body === undefined) res.end();
  else res.json(body);
}
