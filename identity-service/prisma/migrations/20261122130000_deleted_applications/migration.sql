-- Finds the record of an application's deletion.
CREATE INDEX "audit_events_deleted_applications" ON "audit_events"("subject_id") WHERE "action" = 'application.deleted';
