-- AlterTable
ALTER TABLE "business_counters" ADD COLUMN     "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateIndex
CREATE INDEX "business_counters_changed_at_business_id_idx" ON "business_counters"("changed_at", "business_id");

-- CreateIndex
CREATE INDEX "events_business_id_type_sequence_idx" ON "events"("business_id", "type", "sequence");

-- CreateIndex
CREATE INDEX "events_business_id_created_at_sequence_idx" ON "events"("business_id", "created_at", "sequence");

-- Set by the database, so that writers of the release before set it as well during a rollout.
CREATE FUNCTION set_changed_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := clock_timestamp();
  RETURN NEW;
END;
$$;

CREATE TRIGGER business_counters_changed_at BEFORE UPDATE OF last_event_sequence ON "business_counters"
  FOR EACH ROW EXECUTE FUNCTION set_changed_at();
