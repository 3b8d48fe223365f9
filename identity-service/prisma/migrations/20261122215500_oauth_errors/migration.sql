-- AlterTable
ALTER TABLE "request_records" ADD COLUMN     "public_error" TEXT,
ADD COLUMN     "requests" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "secret_last_four" TEXT;
