-- AlterTable
ALTER TABLE "feed_progress" ADD COLUMN     "erasures" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "erased_at" TIMESTAMPTZ(3);
