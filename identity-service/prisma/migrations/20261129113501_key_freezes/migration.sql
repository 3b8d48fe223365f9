-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "freeze_reason" TEXT,
ADD COLUMN     "frozen_at" TIMESTAMPTZ(3),
ADD COLUMN     "frozen_by" TEXT;
