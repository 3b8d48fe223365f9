-- AlterTable
ALTER TABLE "people" ADD COLUMN     "quiet_topics" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "notices" (
    "id" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "business_id" BIGINT,
    "subject_id" TEXT NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "client_ip" TEXT,
    "details" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "read_at" TIMESTAMPTZ(3),
    "mail_due_at" TIMESTAMPTZ(3) DEFAULT clock_timestamp(),
    "mail_tries" INTEGER NOT NULL DEFAULT 0,
    "mailed_at" TIMESTAMPTZ(3),

    CONSTRAINT "notices_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "notices_person_id_created_at_id_idx" ON "notices"("person_id", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "notices_mail_due_at_idx" ON "notices"("mail_due_at");

-- CreateIndex
CREATE INDEX "notices_created_at_idx" ON "notices"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "notices_person_id_key_key" ON "notices"("person_id", "key");

-- AddForeignKey
ALTER TABLE "notices" ADD CONSTRAINT "notices_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
