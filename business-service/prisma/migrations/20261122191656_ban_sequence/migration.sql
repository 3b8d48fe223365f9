-- AlterTable
ALTER TABLE "businesses" ADD COLUMN     "ban_sequence" BIGINT;

-- CreateIndex
CREATE UNIQUE INDEX "businesses_ban_sequence_key" ON "businesses"("ban_sequence");

-- Set by the database, so that every way to ban counts, writers of the release before included. The lock is held until the
-- commit: a change that is committed later has a greater sequence.
CREATE SEQUENCE "business_ban_sequence";

CREATE FUNCTION set_ban_sequence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('bans of businesses', 0));
  NEW.ban_sequence := nextval('business_ban_sequence');
  RETURN NEW;
END;
$$;

CREATE TRIGGER businesses_banned BEFORE INSERT ON "businesses"
  FOR EACH ROW WHEN (NEW.is_banned) EXECUTE FUNCTION set_ban_sequence();

CREATE TRIGGER businesses_ban_changed BEFORE UPDATE OF is_banned ON "businesses"
  FOR EACH ROW WHEN (OLD.is_banned IS DISTINCT FROM NEW.is_banned) EXECUTE FUNCTION set_ban_sequence();

UPDATE "businesses" SET "ban_sequence" = nextval('business_ban_sequence') WHERE "is_banned";
