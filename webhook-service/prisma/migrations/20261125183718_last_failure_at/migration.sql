-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "last_failure_at" TIMESTAMPTZ(3);
