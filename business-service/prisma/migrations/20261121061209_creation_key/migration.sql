-- AlterTable
ALTER TABLE "businesses" ADD COLUMN     "creation_key" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "businesses_creation_key_key" ON "businesses"("creation_key");
