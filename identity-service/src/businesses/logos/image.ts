import { AppError } from '@platform/service-kit/values/app-error.ts';
import { readJpeg } from './jpeg.ts';
import { checkSize, ImageError, type Picture } from './picture.ts';
import { readPng } from './png.ts';
import { readWebp } from './webp.ts';

/** Formats of logos, with the ending of their files. */
export const imageTypes = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const;

export type ImageType = keyof typeof imageTypes;

export interface Image extends Picture {
  readonly type: ImageType;
}

const formats: readonly {
  readonly type: ImageType;
  readonly begins: (head: string) => boolean;
  readonly read: (file: Buffer) => Picture | Promise<Picture>;
}[] = [
  { type: 'png', begins: (head) => head.startsWith('\x89PNG\r\n\x1a\n'), read: readPng },
  { type: 'jpg', begins: (head) => head.startsWith('\xff\xd8\xff'), read: readJpeg },
  { type: 'webp', begins: (head) => head.startsWith('RIFF') && head.endsWith('WEBP'), read: readWebp },
];

/**
 * Reads a PNG, JPEG or WebP image, by its content alone, and keeps what makes the picture: metadata, colour profiles,
 * previews, comments, animation and everything that decoders skip are left out.
 * @throws AppError invalid_argument for other formats, a damaged file, something before or behind it, or more pixels
 */
export async function readImage(file: Buffer): Promise<Image> {
  const head = file.toString('latin1', 0, 12);
  const format = formats.find(({ begins }) => begins(head));
  if (format === undefined) throw refused('it must be a PNG, JPEG or WebP image');
  try {
    const picture = await format.read(file);
    checkSize(picture);
    return { type: format.type, ...picture };
  } catch (error) {
    if (error instanceof ImageError) throw refused(error.message);
    if (isOutOfBounds(error)) throw refused('the file is damaged');
    throw error;
  }
}

/** Whether a read went beyond the end of the file. */
function isOutOfBounds(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ERR_OUT_OF_RANGE' || code === 'ERR_BUFFER_OUT_OF_BOUNDS';
}

function refused(why: string): AppError {
  return new AppError('invalid_argument', 'invalid_logo', `the logo cannot be used: ${why}`);
}
