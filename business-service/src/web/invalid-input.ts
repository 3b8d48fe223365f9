import { type InvalidInput, type InvalidReason, maxInvalidField } from '@platform/protos/vocabulary';
import { FieldError, HttpError } from '@platform/service-kit/http/errors.ts';
import { InputError } from '@platform/service-kit/input/validation.ts';
import { recordedField } from '@platform/service-kit/telemetry/recorded-field.ts';

/** A refusal that names the part of the request that it is about. */
export class InvalidRequest extends HttpError {
  readonly input: InvalidInput;

  constructor(input: InvalidInput, publicText: string, status = 400) {
    super(status, publicText);
    this.input = input;
  }
}

/** Adds the part of the request to an error of its reader. Errors that are not about the input stay unchanged. */
export function withPart(reason: InvalidReason, error: unknown): unknown {
  if (error instanceof InputError || error instanceof FieldError) {
    return new InvalidRequest({ reason, field: error.field }, error.message);
  }
  if (!(error instanceof HttpError)) return error;
  return error.status === 415
    ? new InvalidRequest({ reason: 'invalid_header', field: 'Content-Type' }, error.message, error.status)
    : new InvalidRequest({ reason, field: '' }, error.message, error.status);
}

/** Value of the header for the gateway. */
export const headerValueOf = ({ reason, field }: InvalidInput): string =>
  `${reason} ${recordedField(field, maxInvalidField)}`.trimEnd();
