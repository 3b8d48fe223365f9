-- AlterTable
ALTER TABLE "businesses" ADD COLUMN     "username_changeable_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "usernames" (
    "username" TEXT NOT NULL,
    "business_id" INTEGER NOT NULL,

    CONSTRAINT "usernames_pkey" PRIMARY KEY ("username")
);

-- CreateIndex
CREATE INDEX "usernames_business_id_idx" ON "usernames"("business_id");

-- AddForeignKey
ALTER TABLE "usernames" ADD CONSTRAINT "usernames_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "businesses"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Written by the database, so that writers of the release before claim usernames, too. One table and its key decide, also
-- between a business that gives a username up and one that takes it at the same moment.
CREATE FUNCTION claim_username() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usernames AS taken (username, business_id) VALUES (NEW.username, NEW.id)
    ON CONFLICT (username) DO UPDATE SET business_id = taken.business_id WHERE taken.business_id = NEW.id;
  IF NOT FOUND THEN
    RAISE unique_violation USING MESSAGE = 'the username belongs to another business', CONSTRAINT = 'usernames_pkey';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER businesses_named AFTER INSERT ON "businesses"
  FOR EACH ROW EXECUTE FUNCTION claim_username();

CREATE TRIGGER businesses_renamed AFTER UPDATE OF username ON "businesses"
  FOR EACH ROW WHEN (OLD.username IS DISTINCT FROM NEW.username) EXECUTE FUNCTION claim_username();

INSERT INTO "usernames" ("username", "business_id") SELECT "username", "id" FROM "businesses" ON CONFLICT DO NOTHING;
