-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "granted_limit" INTEGER;
