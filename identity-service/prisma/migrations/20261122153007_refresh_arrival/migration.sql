-- AlterTable
ALTER TABLE "refresh_tokens" ADD COLUMN     "arrived_at" TIMESTAMPTZ(6);
