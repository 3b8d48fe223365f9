import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { PrismaClient } from '../../platform/storage.ts';
import type { ImageType, imageTypes } from './image.ts';

/** A stored image. */
export interface LogoFile {
  readonly type: ImageType;
  readonly content: Buffer;
}

interface NewLogo extends LogoFile {
  readonly businessId: number;
  readonly digest: string;
}

const imageType = z.enum(['png', 'jpg', 'webp']) satisfies z.ZodType<keyof typeof imageTypes>;

const storedRow = z.object({ storedAt: timestamp, isNew: z.boolean() });

export type LogoStore = ReturnType<typeof createLogoStore>;

/** Keeps the images of logos in PostgreSQL, by business and digest. */
export function createLogoStore(database: Database, prisma: PrismaClient) {
  return {
    /** Stores an image, or notes that it is stored again. Resolves to when, in milliseconds since 1970, and whether it is new. */
    put: ({ businessId, digest, type, content }: NewLogo): Promise<z.output<typeof storedRow>> =>
      database.run(async () => {
        const upsert = prisma.$queryRaw`
          INSERT INTO logos (business_id, digest, type, content)
          VALUES (${BigInt(businessId)}, ${digest}, ${type}, ${content})
          ON CONFLICT (business_id, digest) DO UPDATE SET stored_at = clock_timestamp()
          RETURNING stored_at AS "storedAt", xmax = 0 AS "isNew"`;
        const [row] = await readRows(storedRow, upsert);
        if (row === undefined) throw new Error('an upsert returned no row');
        return row;
      }),
    /** The image of a digest, of whichever business. */
    find: (digest: string): Promise<LogoFile | undefined> =>
      database.run(async () => {
        const row = await prisma.logo.findFirst({ where: { digest }, select: { type: true, content: true } });
        if (row === null) return undefined;
        return { type: imageType.parse(row.type), content: Buffer.from(row.content) };
      }),
    /** When an image of a business was last stored, in milliseconds since 1970; undefined without any. */
    lastStoredAt: (businessId: number): Promise<number | undefined> =>
      database.run(async () => {
        const where = { businessId: BigInt(businessId) };
        const { _max } = await prisma.logo.aggregate({ where, _max: { storedAt: true } });
        return _max.storedAt?.getTime();
      }),
    /** Deletes the images of a business, or the one with a digest, but for those that were stored after a moment. */
    remove: (businessId: number, storedUntil: number, digest?: string): Promise<void> =>
      database.run(async () => {
        const ofDigest = digest === undefined ? {} : { digest };
        const where = {
          businessId: BigInt(businessId),
          ...ofDigest,
          storedAt: { lte: new Date(storedUntil) },
        };
        await prisma.logo.deleteMany({ where });
      }),
  };
}
