import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readImage } from './image.ts';

const bytes = (...parts: (string | number[] | Buffer)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );

const uint32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

const uint32le = (value: number) => uint32(value).reverse();

const script = '<script>alert(document.domain)</script>';

const refusal = (why: RegExp) =>
  expect.objectContaining({ reason: 'invalid_logo', message: expect.stringMatching(why) });

describe('a PNG', () => {
  const chunk = (type: string, data: Buffer | number[] | string = '') => {
    const content = bytes(type, data);
    return bytes(uint32(content.length - 4), content, uint32(crc32(content)));
  };
  const header = (width: number, height: number, rest = [8, 6, 0, 0, 0]) =>
    chunk('IHDR', [...uint32(width), ...uint32(height), ...rest]);
  const pixels = (count: number) => deflateSync(Buffer.alloc(count));
  const file = (...chunks: Buffer[]) => bytes('\x89PNG\r\n\x1a\n', ...chunks);
  const end = chunk('IEND');
  // Two rows of one filter byte and two pixels of four bytes.
  const image = chunk('IDAT', pixels(2 * (1 + 2 * 4)));
  const plain = file(header(2, 2), image, end);

  test('that is only a picture stays as it is', async () => {
    expect(await readImage(plain)).toEqual({ type: 'png', width: 2, height: 2, content: plain });
  });

  test('loses what is not the picture', async () => {
    const more = file(
      header(2, 2),
      chunk('eXIf', 'Here'),
      chunk('tEXt', `Comment\0${script}`),
      image,
      chunk('zTXt', 'x'),
      end,
    );
    expect((await readImage(more)).content).toEqual(plain);
    const split = file(
      header(2, 2),
      chunk('IDAT', pixels(18).subarray(0, 5)),
      chunk('IDAT', pixels(18).subarray(5)),
      end,
    );
    expect((await readImage(split)).content).toEqual(plain);
  });

  test.each([
    ['with something behind it', bytes(plain, script), /something follows/],
    ['that ends early', plain.subarray(0, -20), /damaged/],
    ['with a wrong checksum', plain.with(20, 9), /damaged/],
    ['without an end', file(header(2, 2), image), /damaged/],
    ['without a header', file(image, end), /damaged/],
    ['with two headers', file(header(2, 2), header(2, 2), image, end), /damaged/],
    ['with a chunk that decoders must know', file(header(2, 2), chunk('ABCD'), image, end), /damaged/],
    ['with fewer pixels than it says', file(header(2, 3), image, end), /damaged/],
    ['with more pixels than it says', file(header(2, 1), image, end), /damaged/],
    [
      'with something behind its pixels',
      file(header(2, 2), chunk('IDAT', bytes(pixels(18), script)), end),
      /damaged/,
    ],
    ['of a colour type that does not exist', file(header(2, 2, [8, 5, 0, 0, 0]), image, end), /damaged/],
    ['that is interlaced', file(header(2, 2, [8, 6, 0, 0, 1]), image, end), /interlaced/],
    ['without pixels', file(header(0, 2), image, end), /no pixels/],
    ['that is too wide', file(header(1_025, 1), image, end), /at most 1024/],
    ['that unpacks to gigabytes', file(header(0xffff_ffff, 0xffff_ffff), image, end), /at most 1024/],
  ])('%s is refused', async (_, content, why) => {
    await expect(readImage(Buffer.from(content))).rejects.toEqual(refusal(why));
  });
});

describe('a JPEG', () => {
  const segment = (marker: number, data: Buffer | number[] | string) => {
    const content = bytes(data);
    return bytes([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255], content);
  };
  const frame = (width: number, height: number, marker = 0xc0) =>
    segment(marker, [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  const jfif = segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0');
  const tables = bytes(segment(0xdb, Buffer.alloc(65)), segment(0xc4, Buffer.alloc(20)));
  const scan = bytes(segment(0xda, [1, 1, 0, 0, 63, 0]), [1, 2, 0xff, 0, 3, 0xff, 0xd0, 4]);
  const [start, end] = [bytes([0xff, 0xd8]), bytes([0xff, 0xd9])];
  const plain = bytes(start, jfif, tables, frame(3, 2), scan, end);

  test('that is only a picture stays as it is', async () => {
    expect(await readImage(plain)).toEqual({ type: 'jpg', width: 3, height: 2, content: plain });
  });

  test('loses what is not the picture', async () => {
    const exif = segment(0xe1, `Exif\0\0${script}`);
    const preview = segment(0xe0, 'JFXX\0preview');
    const more = bytes(
      start,
      jfif,
      preview,
      exif,
      segment(0xfe, script),
      tables,
      frame(3, 2),
      exif,
      scan,
      end,
    );
    expect((await readImage(more)).content).toEqual(plain);
  });

  test.each([
    ['with something behind it', bytes(plain, script), /something follows/],
    ['that ends early', plain.subarray(0, -2), /damaged/],
    ['without a frame', bytes(start, tables, end), /damaged/],
    ['with two frames', bytes(start, frame(3, 2), frame(3, 2), scan, end), /damaged/],
    ['with a scan before its frame', bytes(start, scan, frame(3, 2), end), /damaged/],
    ['with a length beyond its end', bytes(start, [0xff, 0xe1, 0xff, 0xff], script), /damaged/],
    ['of a kind that browsers do not show', bytes(start, frame(3, 2, 0xc9), scan, end), /damaged/],
    ['without pixels', bytes(start, frame(0, 2), scan, end), /no pixels/],
    ['that is too high', bytes(start, frame(1, 1_025), scan, end), /at most 1024/],
  ])('%s is refused', async (_, content, why) => {
    await expect(readImage(content)).rejects.toEqual(refusal(why));
  });
});

describe('a WebP', () => {
  const chunk = (type: string, data: Buffer | number[] | string) => {
    const content = bytes(data);
    return bytes(type, uint32le(content.length), content, content.length % 2 === 0 ? [] : [0]);
  };
  const file = (...chunks: Buffer[]) => {
    const body = bytes('WEBP', ...chunks);
    return bytes('RIFF', uint32le(body.length), body);
  };
  const lossy = chunk('VP8 ', [0x10, 0, 0, 0x9d, 0x01, 0x2a, 4, 0, 2, 0, 7]);
  const lossless = chunk('VP8L', [0x2f, ...uint32le(3 | (1 << 14)), 9]);
  const extended = (flags: number, width = 4) => chunk('VP8X', [flags, 0, 0, 0, width - 1, 0, 0, 1, 0, 0]);

  test.each([
    ['lossy', file(lossy)],
    ['lossless', file(lossless)],
    ['with an alpha channel', file(extended(0x10), chunk('ALPH', [0, 1]), lossy)],
  ])('%s stays as it is', async (_, content) => {
    expect(await readImage(content)).toEqual({ type: 'webp', width: 4, height: 2, content });
  });

  test('loses what is not the picture', async () => {
    const more = [
      chunk('ICCP', 'profile'),
      lossy,
      chunk('EXIF', script),
      chunk('XMP ', script),
      chunk('ABCD', 'x'),
    ];
    expect((await readImage(file(extended(0x2c), ...more))).content).toEqual(file(lossy));
  });

  test.each([
    ['with something behind it', bytes(file(lossy), script), /something follows/],
    ['that ends early', file(lossy).subarray(0, -3), /something follows|damaged/],
    ['with a chunk beyond its end', file(bytes('VP8 ', uint32le(99), [1, 2])), /damaged/],
    ['without a picture', file(chunk('EXIF', script)), /damaged/],
    ['with two pictures', file(lossy, lossless), /damaged/],
    ['that is animated', file(extended(0x02), lossy), /animated/],
    ['of another size than its canvas', file(extended(0, 9), lossy), /damaged/],
    ['that is no key frame', file(chunk('VP8 ', [0x11, 0, 0, 0x9d, 0x01, 0x2a, 4, 0, 2, 0])), /damaged/],
    ['that is too wide', file(chunk('VP8L', [0x2f, ...uint32le(1_024), 9])), /at most 1024/],
  ])('%s is refused', async (_, content, why) => {
    await expect(readImage(content)).rejects.toEqual(refusal(why));
  });
});

test.each([
  ['an empty file', ''],
  ['an SVG', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
  ['a page', `<!doctype html>${script}`],
  ['a GIF', `GIF89a\x01\0\x01\0${script}`],
])('%s is refused as a logo', async (_, content) => {
  await expect(readImage(bytes(content))).rejects.toEqual(refusal(/PNG, JPEG or WebP/));
});
