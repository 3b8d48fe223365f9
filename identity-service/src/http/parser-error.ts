/** Our words for what Express and its body parser refuse; theirs quote the body. */
export const parserTexts: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  413: 'This is larger than anything we ask for.',
  415: 'This is encoded in a way that we do not read.',
};

/** Errors of Express and its body parser carry a 4xx status. */
export function statusOfParserError(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status in parserTexts ? error.status : undefined;
}
