-- AlterTable
ALTER TABLE "refresh_tokens" ADD COLUMN     "settled_at" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "answered_consents" (
    "id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "answered_consents_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "answered_consents_expires_at_idx" ON "answered_consents"("expires_at");
