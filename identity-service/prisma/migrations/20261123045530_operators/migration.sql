-- CreateTable
CREATE TABLE "operators" (
    "person_id" TEXT NOT NULL,
    "invited_by" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "operators_pkey" PRIMARY KEY ("person_id")
);

-- CreateTable
CREATE TABLE "operator_invitations" (
    "id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "email" TEXT NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "operator_invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator_events" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "content" TEXT NOT NULL,

    CONSTRAINT "operator_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator_chain" (
    "position" BIGINT NOT NULL,
    "event_id" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "operator_chain_pkey" PRIMARY KEY ("position")
);

-- CreateIndex
CREATE UNIQUE INDEX "operator_invitations_token_hash_key" ON "operator_invitations"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "operator_invitations_email_key" ON "operator_invitations"("email");

-- CreateIndex
CREATE INDEX "operator_invitations_expires_at_idx" ON "operator_invitations"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "operator_chain_event_id_key" ON "operator_chain"("event_id");

-- AddForeignKey
ALTER TABLE "operators" ADD CONSTRAINT "operators_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The operators' log only grows.
CREATE FUNCTION "refuse_operator_log_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;

CREATE TRIGGER "operator_events_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "operator_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_operator_log_change"();

CREATE TRIGGER "operator_chain_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "operator_chain"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_operator_log_change"();

-- Links an event to the one before. Deferred to the commit: the lock of the chain is then the last one that a transaction
-- takes, so that transactions never wait for each other in a circle, and it is held for the commit alone.
CREATE FUNCTION "chain_operator_event"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last_position bigint;
  last_hash bytea;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('chain of operators', 0));
  SELECT "position", "hash" INTO last_position, last_hash FROM "operator_chain" ORDER BY "position" DESC LIMIT 1;
  last_position := coalesce(last_position, 0) + 1;
  INSERT INTO "operator_chain" ("position", "event_id", "hash")
  VALUES (last_position, NEW."id", sha256(coalesce(last_hash, ''::bytea) || convert_to(
    last_position || E'\n' || round(extract(epoch FROM NEW."at") * 1000)::bigint || E'\n' || NEW."content", 'UTF8')));
  RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER "operator_events_chained" AFTER INSERT ON "operator_events"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "chain_operator_event"();
