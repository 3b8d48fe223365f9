-- AlterTable
ALTER TABLE "businesses" ADD COLUMN     "is_sandbox" BOOLEAN NOT NULL DEFAULT false;
