-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "repeat_lost_refresh" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "refresh_tokens" ADD COLUMN     "successor_hash" BYTEA;
