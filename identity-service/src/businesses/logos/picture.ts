/** The parts of an image file that make the picture, put together again. */
export interface Picture {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly content: Buffer;
}

/** A file that does not match the format of its first bytes. The message gives the reason. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

/** @throws ImageError unless the condition holds */
export function ensure(condition: boolean, otherwise = 'the file is damaged'): asserts condition {
  if (!condition) throw new ImageError(otherwise);
}

/** Longest side in pixels: a small file can hold a picture that fills a browser's memory. */
const maxSide = 1_024;

/** @throws ImageError for a picture without pixels, or with too many */
export function checkSize({ width, height }: Pick<Picture, 'width' | 'height'>): void {
  ensure(width > 0 && height > 0, 'it has no pixels');
  ensure(Math.max(width, height) <= maxSide, `it must have at most ${maxSide} pixels a side`);
}
