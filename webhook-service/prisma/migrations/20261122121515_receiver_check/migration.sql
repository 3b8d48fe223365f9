-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "checking_until" TIMESTAMPTZ(3);
