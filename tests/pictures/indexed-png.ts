import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/** Pixels of a picture, row by row: three bytes each. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

/**
 * Writes a screenshot again with 256 colours, in a third of its bytes (PNG, third edition, section 11).
 * @throws when it is not of 8 bits without alpha, as Chromium takes it
 */
export function toIndexedPng(png: Buffer): Buffer {
  const { width, height, bytes } = decode(png);
  const { colours, indexOf } = paletteOf(bytes);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = indexOf(colourAt(bytes, (y * width + x) * 3));
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per pixel, of a palette.
  header.set([8, 3], 8);
  const palette = Buffer.from(
    colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff]),
  );
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  const chunks = [
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function decode(png: Buffer): Pixels {
  const parts: Buffer[] = [];
  for (let at = signature.length; at < png.length; ) {
    const size = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  if (png[24] !== 8 || png[25] !== 2 || png[28] !== 0) throw new Error('The screenshot is no plain RGB.');
  return { width, height, bytes: unfilter(inflateSync(Buffer.concat(parts)), width * 3) };
}

/** Undoes the filter of each row: its bytes are differences to the bytes left, above and left above. */
function unfilter(filtered: Buffer, size: number): Buffer {
  const bytes = Buffer.alloc((filtered.length / (size + 1)) * size);
  for (let at = 0, row = 0; row * size < bytes.length; row++) {
    const filter = filtered[row * (size + 1)] ?? 0;
    for (let x = 0; x < size; x++, at++) {
      const left = x < 3 ? 0 : (bytes[at - 3] ?? 0);
      const above = bytes[at - size] ?? 0;
      const corner = x < 3 ? 0 : (bytes[at - size - 3] ?? 0);
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      bytes[at] = (filtered[row * (size + 1) + 1 + x] ?? 0) + predicted;
    }
  }
  return bytes;
}

function paeth(left: number, above: number, corner: number): number {
  const estimate = left + above - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - above), Math.abs(estimate - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

const colourAt = (bytes: Buffer, at: number) => bytes.readUIntBE(at, 3);

/** The most frequent colours, none like another one, and the nearest of them for any colour. */
function paletteOf(bytes: Buffer) {
  const counts = new Map<number, number>();
  for (let at = 0; at < bytes.length; at += 3) {
    const colour = colourAt(bytes, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const colours: number[] = [];
  for (const [colour] of [...counts].sort(([, a], [, b]) => b - a)) {
    if (colours.length < 256 && !colours.some((each) => distance(each, colour) < 300)) colours.push(colour);
  }
  const indexes = new Map<number, number>();
  const indexOf = (colour: number) => {
    const known = indexes.get(colour) ?? nearest(colours, colour);
    indexes.set(colour, known);
    return known;
  };
  return { colours, indexOf };
}

function nearest(colours: readonly number[], colour: number): number {
  const distances = colours.map((each) => distance(each, colour));
  return distances.indexOf(Math.min(...distances));
}

/** Square of the distance of two colours. */
function distance(a: number, b: number): number {
  const [red, green, blue] = [16, 8, 0].map((shift) => ((a >> shift) & 0xff) - ((b >> shift) & 0xff));
  return (red ?? 0) ** 2 + (green ?? 0) ** 2 + (blue ?? 0) ** 2;
}
