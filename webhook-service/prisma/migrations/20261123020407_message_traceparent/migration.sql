-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "traceparent" TEXT;
