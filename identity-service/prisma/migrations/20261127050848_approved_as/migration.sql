-- AlterTable
ALTER TABLE "grants" ADD COLUMN     "approved_as" JSONB;
