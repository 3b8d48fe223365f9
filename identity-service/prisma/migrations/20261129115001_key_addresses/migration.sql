-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "ip_whitelist" TEXT[] DEFAULT ARRAY[]::TEXT[];
