import { HttpError } from '@platform/service-kit/http/errors.ts';
import { queryOf } from '@platform/service-kit/http/input.ts';
import express, { type Request, type RequestHandler } from 'express';
import type { z } from 'zod';

/** Validation error of a wrong current password. */
export const incorrectPasswordText = 'Incorrect password.';

/** Fields of a posted form by name, as the browser sent them. */
export type Form = ReadonlyMap<string, string>;

const formType = 'application/x-www-form-urlencoded';

const readText = express.text({ type: formType, limit: '32kb', inflate: false });

/**
 * Reads the form of a POST into `res.locals.form`. @throws HttpError 400 when a field comes twice; 415 for another type;
 * what the parser says: 413 beyond 32 kB, 415 for a charset or encoding that it does not know
 */
export const readForm: RequestHandler = (req, res, next) => {
  if (req.method !== 'POST') return next();
  readText(req, res, (error?: unknown) => {
    if (error !== undefined) return next(error);
    if (!req.is(formType)) return next(new HttpError(415, 'This address accepts forms only.'));
    const form = parseForm(typeof req.body === 'string' ? req.body : '');
    if (form === undefined) return next(new HttpError(400, 'A field of the form was sent twice.'));
    res.locals.form = form;
    next();
  });
};

/** Fields of a body; undefined when one comes twice. */
export function parseForm(body: string): Form | undefined {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (form.has(name)) return undefined;
    form.set(name, value);
  }
  return form;
}

/**
 * A form without its CSRF token, in its exact type.
 * @param schema a strict object; it accepts any text, since pages show errors of fields themselves
 * @throws HttpError 400 when fields are missing, or do not belong there
 */
export function fieldsOf<T extends z.ZodType>(schema: T, form: Form): z.output<T> {
  const { _csrf, ...fields } = Object.fromEntries(form);
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  throw new HttpError(400, 'The form is incomplete, or has unknown fields. Reload the page and try again.');
}

/** One parameter; undefined when absent. @throws HttpError 400 when it comes twice */
export function queryParameter(req: Request, name: string): string | undefined {
  const values = queryOf(req).getAll(name);
  if (values.length > 1) throw new HttpError(400, 'A part of the address was given twice.');
  return values[0];
}
