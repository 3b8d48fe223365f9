-- AlterTable
ALTER TABLE "events" ADD COLUMN     "application_id" TEXT;
