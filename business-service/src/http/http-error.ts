/** A refusal that exists only in HTTP. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  constructor(status: number, publicText: string) {
    super(publicText);
    this.status = status;
  }
}
