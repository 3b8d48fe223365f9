import { crc32, createInflate } from 'node:zlib';
import { checkSize, ensure, type Picture } from './picture.ts';

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const signatureBytes = 8;

/** Length, type and checksum of a chunk. */
const frameBytes = 12;

/** Chunks that make a still picture, in their order (PNG, third edition, section 5.6). */
const kept = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

/** Bits per pixel by colour type and bit depth (section 11.2.1). */
const channels: Readonly<Record<number, { readonly count: number; readonly depths: readonly number[] }>> = {
  0: { count: 1, depths: [1, 2, 4, 8, 16] },
  2: { count: 3, depths: [8, 16] },
  3: { count: 1, depths: [1, 2, 4, 8] },
  4: { count: 2, depths: [8, 16] },
  6: { count: 4, depths: [8, 16] },
};

/** The picture of a PNG file. @throws ImageError, or the error of a read beyond the end of the file */
export async function readPng(file: Buffer): Promise<Picture> {
  const chunks = chunksOf(file).filter(({ type }) => kept.includes(type));
  const [header] = chunks;
  ensure(header?.type === 'IHDR' && header.data.length === 13);
  for (const type of kept.filter((each) => each !== 'IDAT')) {
    ensure(chunks.filter((chunk) => chunk.type === type).length <= 1);
  }
  const pixels = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const { width, height, bytes } = sizeOf(header.data);
  ensure(await holds(pixels, bytes));
  const parts = kept.flatMap((type) => {
    if (type === 'IDAT') return [{ type, data: pixels }];
    return chunks.filter((chunk) => chunk.type === type);
  });
  return {
    width,
    height,
    content: Buffer.concat([file.subarray(0, signatureBytes), ...parts.map(bytesOf)]),
  };
}

/** All chunks up to IEND, which ends the file. */
function chunksOf(file: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = signatureBytes; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const end = at + 8 + length;
    ensure(file.readUInt32BE(end) === crc32(file.subarray(at + 4, end)));
    // A capital says that a decoder must know the chunk.
    ensure(kept.includes(type) || /^[a-z][A-Za-z]{3}$/.test(type));
    chunks.push({ type, data: file.subarray(at + 8, end) });
    at += frameBytes + length;
    if (type === 'IEND') ensure(length === 0 && at === file.length, 'something follows the image');
  }
  ensure(chunks.at(-1)?.type === 'IEND');
  return chunks;
}

/** Size of the picture, and of its pixels in bytes. */
function sizeOf(header: Buffer): { width: number; height: number; bytes: number } {
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const [depth = 0, colourType = 0, compression, filter, interlace] = header.subarray(8);
  const { count, depths } = channels[colourType] ?? { count: 0, depths: [] };
  ensure(depths.includes(depth) && compression === 0 && filter === 0);
  ensure(interlace === 0, 'it must not be interlaced');
  checkSize({ width, height });
  return { width, height, bytes: height * (1 + Math.ceil((width * count * depth) / 8)) };
}

/** Whether a compressed stream holds exactly so many bytes, and nothing follows it. */
async function holds(compressed: Buffer, bytes: number): Promise<boolean> {
  const engine = createInflate();
  engine.end(compressed);
  let length = 0;
  try {
    for await (const piece of engine) {
      length += piece.length;
      if (length > bytes) return false;
    }
  } catch {
    return false;
  }
  return length === bytes && engine.bytesWritten === compressed.length;
}

function bytesOf({ type, data }: Chunk): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
}
