-- CreateTable
CREATE TABLE "new_businesses" (
    "person_id" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "creation_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "new_businesses_pkey" PRIMARY KEY ("person_id","username")
);

-- CreateIndex
CREATE INDEX "new_businesses_created_at_idx" ON "new_businesses"("created_at");

-- AddForeignKey
ALTER TABLE "new_businesses" ADD CONSTRAINT "new_businesses_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;
