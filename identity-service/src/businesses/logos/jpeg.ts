import { ensure, ImageError, type Picture } from './picture.ts';

/** Markers (ITU T.81, table B.1). */
const end = 0xd9;
const scan = 0xda;
const jfif = 0xe0;
const adobe = 0xee;
const comment = 0xfe;

/** Frames that every browser decodes: baseline, extended, progressive. */
const frames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);

/** Quantization and Huffman tables, restart interval. */
const tables: ReadonlySet<number> = new Set([0xdb, 0xc4, 0xdd]);

/** The picture of a JPEG file: frame, tables, scans. @throws ImageError, or the error of a read beyond the end of the file */
export function readJpeg(file: Buffer): Picture {
  const parts = [file.subarray(0, 2)];
  let size: { width: number; height: number } | undefined;
  for (let at = 2; ; ) {
    ensure(file.readUInt8(at) === 0xff);
    const marker = file.readUInt8(at + 1);
    if (marker === end) {
      ensure(size !== undefined);
      ensure(at + 2 === file.length, 'something follows the image');
      return { ...size, content: Buffer.concat([...parts, file.subarray(at)]) };
    }
    const next = at + 2 + file.readUInt16BE(at + 2);
    ensure(next >= at + 4 && next <= file.length);
    const segment = file.subarray(at, next);
    at = next;
    if (frames.has(marker)) {
      ensure(size === undefined);
      size = { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7) };
    }
    if (marker === scan) {
      ensure(size !== undefined);
      at = endOfScan(file, next);
      parts.push(segment, file.subarray(next, at));
    } else if (isKept(marker, segment)) {
      parts.push(segment);
    }
  }
}

/** Whether a segment is part of the picture. @throws ImageError for one that must be understood, and is not */
function isKept(marker: number, segment: Buffer): boolean {
  if (frames.has(marker) || tables.has(marker)) return true;
  // Both name the colour space; with these lengths they hold nothing else.
  const name = segment.toString('latin1', 4, 9);
  if (marker === jfif && name === 'JFIF\0' && segment.length === 18) return true;
  if (marker === adobe && name === 'Adobe' && segment.length === 16) return true;
  ensure((marker >= 0xe0 && marker <= 0xef) || marker === comment);
  return false;
}

/** Where the entropy-coded data of a scan ends: at a marker that is neither a stuffed byte nor a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const marker = file.readUInt8(at + 1);
    if (marker !== 0 && marker !== 0xff && (marker < 0xd0 || marker > 0xd7)) return at;
  }
  throw new ImageError('the file is damaged');
}
