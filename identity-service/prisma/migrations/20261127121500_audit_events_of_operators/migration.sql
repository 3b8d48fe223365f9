-- The check of the log of operators reads their events alone.
DROP INDEX CONCURRENTLY IF EXISTS "audit_events_operators";
CREATE INDEX CONCURRENTLY "audit_events_operators" ON "audit_events"("id") WHERE "actor_kind" = 'operator';
