-- AlterTable
ALTER TABLE "notices" ADD COLUMN     "recipient" TEXT;

-- CreateTable
CREATE TABLE "email_changes" (
    "person_id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_changes_pkey" PRIMARY KEY ("person_id")
);

-- CreateTable
CREATE TABLE "email_undos" (
    "id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "sealed_token" BYTEA NOT NULL,
    "person_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_undos_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "email_changes_token_hash_key" ON "email_changes"("token_hash");

-- CreateIndex
CREATE INDEX "email_changes_expires_at_idx" ON "email_changes"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "email_undos_token_hash_key" ON "email_undos"("token_hash");

-- CreateIndex
CREATE INDEX "email_undos_person_id_idx" ON "email_undos"("person_id");

-- CreateIndex
CREATE INDEX "email_undos_email_idx" ON "email_undos"("email");

-- CreateIndex
CREATE INDEX "email_undos_expires_at_idx" ON "email_undos"("expires_at");

-- AddForeignKey
ALTER TABLE "email_changes" ADD CONSTRAINT "email_changes_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email_undos" ADD CONSTRAINT "email_undos_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
