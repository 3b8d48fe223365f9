-- AlterTable
ALTER TABLE "client_secrets" ADD COLUMN     "created_by" TEXT;

-- CreateTable
CREATE TABLE "application_entry_makers" (
    "application_id" TEXT NOT NULL,
    "list" TEXT NOT NULL,
    "entry" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "application_entry_makers_pkey" PRIMARY KEY ("application_id","list","entry")
);

-- AddForeignKey
ALTER TABLE "application_entry_makers" ADD CONSTRAINT "application_entry_makers_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
