-- AlterTable
ALTER TABLE "people" ADD COLUMN     "daily_topics" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "notices" ADD COLUMN     "digest_id" TEXT;
