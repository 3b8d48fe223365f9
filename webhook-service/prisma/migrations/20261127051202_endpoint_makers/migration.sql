-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "made_by" TEXT;
