import { ensure, type Picture } from './picture.ts';

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const headerBytes = 12;

/** Flag of VP8X for a picture with an alpha channel (RFC 9649, section 2.7). */
const hasAlpha = 0x10;

const isAnimated = 0x02;

/** The picture of a WebP file (RFC 9649). @throws ImageError, or the error of a read beyond the end of the file */
export function readWebp(file: Buffer): Picture {
  ensure(file.readUInt32LE(4) + 8 === file.length, 'something follows the image');
  const chunks = chunksOf(file);
  const find = (...types: string[]) => chunks.filter(({ type }) => types.includes(type));
  const [extended] = find('VP8X');
  ensure(((extended?.data.readUInt8(0) ?? 0) & isAnimated) === 0, 'it must not be animated');
  const [frame, second] = find('VP8 ', 'VP8L');
  ensure(frame !== undefined && second === undefined);
  const { width, height } = sizeOf(frame);
  if (extended !== undefined) {
    const canvas = [1 + extended.data.readUIntLE(4, 3), 1 + extended.data.readUIntLE(7, 3)];
    ensure(canvas[0] === width && canvas[1] === height);
  }
  const [alpha] = find('ALPH');
  const isExtended = alpha !== undefined && frame.type === 'VP8 ';
  const parts = isExtended ? [header(width, height), alpha, frame] : [frame];
  return { width, height, content: fileOf(parts) };
}

function chunksOf(file: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = headerBytes; at < file.length; ) {
    const type = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    ensure(at + 8 + length <= file.length);
    chunks.push({ type, data: file.subarray(at + 8, at + 8 + length) });
    // Chunks begin at even positions.
    at += 8 + length + (length % 2);
  }
  return chunks;
}

/** Size of a lossy (RFC 6386, section 9.1) or lossless frame (RFC 9649, section 3.4). */
function sizeOf({ type, data }: Chunk): { width: number; height: number } {
  if (type === 'VP8L') {
    ensure(data.readUInt8(0) === 0x2f);
    const bits = data.readUInt32LE(1);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  const isKeyFrame = (data.readUInt8(0) & 1) === 0;
  ensure(isKeyFrame && data.readUIntBE(3, 3) === 0x9d012a);
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

function header(width: number, height: number): Chunk {
  const data = Buffer.alloc(10);
  data.writeUInt8(hasAlpha, 0);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return { type: 'VP8X', data };
}

function fileOf(chunks: readonly Chunk[]): Buffer {
  const parts = chunks.flatMap(({ type, data }) => {
    const frame = Buffer.from(`${type}\0\0\0\0`, 'latin1');
    frame.writeUInt32LE(data.length, 4);
    return [frame, data, Buffer.alloc(data.length % 2)];
  });
  const file = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), ...parts]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}
