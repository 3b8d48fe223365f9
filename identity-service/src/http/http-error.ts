/** A request that HTTP itself answers: its form, not what it asks for, is at fault. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  /** @param publicText a sentence for the person who sees it */
  constructor(status: number, publicText: string) {
    super(publicText);
    this.status = status;
  }
}
