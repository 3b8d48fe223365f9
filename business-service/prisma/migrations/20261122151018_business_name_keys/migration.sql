-- AlterTable
ALTER TABLE "businesses" ADD COLUMN     "name_keys" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateIndex
CREATE INDEX "businesses_name_keys_idx" ON "businesses" USING GIN ("name_keys");
